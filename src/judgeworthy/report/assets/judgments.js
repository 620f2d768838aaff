"use strict";
// The judgments of a study, filtered and read side by side. Texts are set as text, never as HTML.
(() => {
  const PART = 20;
  const FIRST = ["NR", "RC", "RV", "C1", "C2", "recorded"];
  const FLIPS = [["NR", "RC"], ["NR", "RV"], ["RV", "RC"]];
  const ANSWERS = {
    right: "a right answer: the reference", wrong: "a wrong answer: another question's reference",
    nearest: "a wrong answer: the nearest", corrupted: "a wrong answer: the right one, changed",
    verbose: "a wrong answer, long and confident", injected: "a wrong answer that asks to be accepted",
  };
  const VARIANTS = {
    "sampled-1": "another seed", "sampled-2": "a third seed", paraphrase: "asked in other words",
    irrelevant: "irrelevant text shown", other: "another question's reference shown",
    right: "right answer", wrong: "wrong answer",
  };
  const form = document.getElementById("filters");
  const at = (id) => document.getElementById(id);
  const studies = {};
  let shown = [];
  let start = 0;

  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const folded = (text) => text.normalize("NFKC").toLowerCase();
  const named = (label) => {
    const [condition, variant] = label.split(" ");
    return variant ? `${condition}, ${VARIANTS[variant] ?? variant}` : condition;
  };
  const rank = (label) => (FIRST.indexOf(label) + 1) || FIRST.length + 1;

  // A data file calls this; it is unpacked once.
  window.judged = (name, data) => {
    const items = data.items.map(([question, generator, answer, judge, response, human, said]) => {
      const [type, text, references] = data.questions[question] ?? ["", "", []];
      const judgments = said.map(([label, verdict, reason, extracted, explanation, reference]) => ({
        label, verdict, reason, extracted: data.texts[extracted],
        explanation: data.texts[explanation], reference: data.texts[reference],
      })).sort((a, b) => rank(a.label) - rank(b.label));
      const verdicts = Object.fromEntries(judgments.map((each) => [each.label, each.verdict]));
      const item = {
        question, generator, answer, judge, human, type, text, references, judgments, verdicts,
        response: data.texts[response],
      };
      item.words = folded([
        question, generator, text, ...references, item.response,
        ...judgments.flatMap((each) => [each.extracted, each.explanation, each.reason]),
      ].join("\n"));
      return item;
    });
    studies[name] = { ...data, items };
    choose(name);
  };

  const load = (name) => {
    if (studies[name]) return choose(name);
    at("count").value = "Loading …";
    const script = element("script", { src: `judgments/${name}.js` });
    script.addEventListener("error", () => { at("count").value = `judgments/${name}.js is missing.`; });
    document.head.append(script);
  };

  const options = (field, values) => {
    const all = element("option", { value: "" }, "all");
    form[field].replaceChildren(all, ...values.map(([value, text]) => element("option", { value }, text)));
    form[field].closest("label").hidden = values.length < 2;
    if (wanted[field] && values.some(([value]) => value === wanted[field])) form[field].value = wanted[field];
  };
  const plain = (values) => [...new Set(values)].filter(Boolean).map((value) => [value, value]);

  // What the address asks for, until the reader chooses.
  let wanted = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

  const choose = (name) => {
    const { items, source, text } = studies[name];
    const judgments = items.flatMap((item) => item.judgments);
    const generators = plain(items.map((item) => item.generator));
    const labels = plain(judgments.map((each) => each.label)).sort(([a], [b]) => rank(a) - rank(b));
    const known = new Set(labels.map(([label]) => label));
    const flips = FLIPS.filter(([a, b]) => known.has(a) && known.has(b)).flatMap(([a, b]) => [
      [`${a}-${b}`, `${a} → ${b}, either way`],
      [`${a}-${b}-down`, `${a} → ${b}: CORRECT to INCORRECT`],
      [`${a}-${b}-up`, `${a} → ${b}: INCORRECT to CORRECT`],
      [`${a}-${b}-same`, `${a} → ${b}: no flip`],
    ]);
    options("judge", plain(items.map((item) => item.judge)));
    // Where every response has a name of its own, the search finds it.
    options("generator", generators.length > 60 ? [] : generators);
    options("condition", labels.map(([label]) => [label, named(label)]));
    options("flip", flips);
    options("verdict", plain(judgments.map((each) => each.verdict)));
    if (wanted.text) form.text.value = wanted.text;
    wanted = {};
    at("source").textContent = text ? source : `Verdicts only, no text. ${source}`;
    filter();
  };

  const flips = (item, choice) => {
    const [from, to, way] = choice.split("-");
    const [first, second] = [item.verdicts[from], item.verdicts[to]];
    const valid = [first, second].every((verdict) => verdict === "CORRECT" || verdict === "INCORRECT");
    if (!valid) return false;
    if (way === "same") return first === second;
    return first !== second && (!way || (way === "down") === (first === "CORRECT"));
  };

  const filter = () => {
    const chosen = Object.fromEntries(new FormData(form));
    const study = studies[chosen.study];
    if (!study) return;
    const words = folded(chosen.text).split(/\s+/).filter(Boolean);
    const matches = (each) => (!chosen.condition || each.label === chosen.condition)
      && (!chosen.verdict || each.verdict === chosen.verdict);
    shown = study.items.filter((item) => (!chosen.judge || item.judge === chosen.judge)
      && (!chosen.generator || item.generator === chosen.generator)
      && (!chosen.flip || flips(item, chosen.flip))
      && words.every((word) => item.words.includes(word)))
      .map((item) => ({ item, hits: item.judgments.filter(matches) }))
      .filter(({ hits }) => hits.length);
    const count = shown.reduce((sum, { hits }) => sum + hits.length, 0);
    at("count").value = `${count} judgments in ${shown.length} entries.`;
    const kept = Object.entries(chosen).filter(([, value]) => value);
    history.replaceState(null, "", `#${new URLSearchParams(kept)}`);
    start = 0;
    list(study, chosen);
  };

  const labelled = (word, text, study, tag = "p") =>
    element(tag, { class: "labelled" }, element("span", { class: "label" }, word),
      element("span", { dir: "auto", lang: study.language, class: "said" }, text || "(empty)"));

  const judgment = (each, study, hit) => {
    const box = element("div", { class: hit ? "judgment hit" : "judgment" },
      element("h4", {}, named(each.label), " ", element("span", { class: `badge ${each.verdict}` }, each.verdict)));
    if (each.reason) box.append(element("p", {}, `Why: ${each.reason}`));
    if (each.reference) box.append(labelled("In the reference's place", each.reference, study));
    if (study.text && each.verdict !== "INVALID") {
      box.append(labelled("Extracted answer", each.extracted, study), labelled("Explanation", each.explanation, study));
    }
    return box;
  };

  const entry = ({ item, hits }, study) => {
    const changed = FLIPS.filter(([a, b]) => flips(item, `${a}-${b}`)).map(([a, b]) => `flip ${a} → ${b}`);
    const whose = item.generator ? `response of ${item.generator}` : ANSWERS[item.answer] ?? "";
    const about = [item.type, whose, `judge ${item.judge}`].filter(Boolean).join(" · ");
    const article = element("article", {}, element("h3", {}, item.question, " ",
      ...changed.map((text) => element("span", { class: "badge flip" }, text))), element("p", { class: "about" }, about));
    if (study.text) {
      article.append(labelled("Question", item.text, study),
        labelled("Reference", item.references.join(" / "), study), labelled("Response", item.response, study));
    }
    if (item.human !== null) article.append(element("p", {}, `People accept it: ${item.human ? "yes" : "no"}`));
    const hit = new Set(hits);
    const inSight = (each) => FIRST.includes(each.label) || (hit.has(each) && hits.length < item.judgments.length);
    const draw = (some) => element("div", { class: "judgments" }, ...some.map((each) => judgment(each, study, hit.has(each))));
    const main = item.judgments.filter(inSight);
    const rest = item.judgments.filter((each) => !inSight(each));
    if (main.length) article.append(draw(main));
    if (rest.length) {
      article.append(element("details", {}, element("summary", {}, `${rest.length} more judgments of this response`), draw(rest)));
    }
    return article;
  };

  const list = (study) => {
    at("items").replaceChildren(...shown.slice(start, start + PART).map((one) => entry(one, study)));
    at("pager").hidden = shown.length <= PART;
    at("part").textContent = `${start + 1} to ${Math.min(start + PART, shown.length)} of ${shown.length}`;
    at("before").disabled = start === 0;
    at("after").disabled = start + PART >= shown.length;
  };

  const turn = (by) => {
    start += by * PART;
    list(studies[form.study.value]);
    at("count").scrollIntoView();
  };

  at("before").addEventListener("click", () => turn(-1));
  at("after").addEventListener("click", () => turn(1));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => (event.target.name === "study" ? load(form.study.value) : filter()));
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const name of ["judge", "generator", "condition", "flip", "verdict", "text"]) form[name].value = "";
    filter();
  });
  if ([...form.study.options].some(({ value }) => value === wanted.study)) form.study.value = wanted.study;
  load(form.study.value);
})();
