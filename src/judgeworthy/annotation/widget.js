// One item at a time: shows it, sends what is said about it to the kernel, and goes on when the
// kernel answers that it is on disk. What is not on disk is never shown as said.

const LABELS = [
  { name: "CORRECT", keys: ["1", "c"], codes: ["Digit1", "Numpad1", "KeyC"] },
  { name: "INCORRECT", keys: ["2", "i"], codes: ["Digit2", "Numpad2", "KeyI"] },
  { name: "UNSURE", keys: ["3", "u"], codes: ["Digit3", "Numpad3", "KeyU"] },
];
const FIELDS = { question: "Question", reference: "Reference answer", response: "Response" };
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };
const NAME =
  "Responses to label. Keys: 1 or c CORRECT, 2 or i INCORRECT, 3 or u UNSURE, " +
  "left and right arrow to move.";
const HINT = "Keys: 1 2 3 or c i u to label, ← → to move, Tab to the comment, Esc back from it.";
const AGAIN = "run the cell again; every label that was saved is there.";
const NO_ANSWER = `Not saved yet: the kernel is busy or has stopped. If it has stopped, ${AGAIN}`;
const STOPPED = `Not saved: the kernel has stopped. When it runs, ${AGAIN}`;
const RIGHT_TO_LEFT = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;
const PATIENCE = 4000; // milliseconds without an answer of the kernel
const PAUSE = 500; // milliseconds after the last letter of a comment
const NOTHING = { label: "", comment: "" };

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function button(...children) {
  return make("button", { type: "button" }, ...children);
}

// A keyboard that writes another script gives other letters; its keys have the same places.
function labelOf(event) {
  const latin = /^[\x20-\x7e]$/.test(event.key);
  return LABELS.find(({ keys, codes }) =>
    latin ? keys.includes(event.key.toLowerCase()) : codes.includes(event.code),
  );
}

// The direction of a text is that of its first letter, and that of the question where it has none.
function direction(text, question) {
  if (/\p{L}/u.test(text)) return "auto";
  return RIGHT_TO_LEFT.test(question) ? "rtl" : "ltr";
}

class View {
  constructor(model) {
    this.model = model;
    this.items = model.get("items");
    this.said = new Map(Object.entries(model.get("said")));
    this.drafts = new Map(); // comments that are not on disk, by item
    this.waiting = new Map(); // what the kernel has not answered yet, by number of the message
    this.last = ""; // number of the last message
    this.typing = null; // timer of the comment
    this.place = Math.max(0, this.unlabelled(0));
    this.build();
    this.listen();
    this.show();
  }

  build() {
    const language = this.model.get("language");
    this.texts = {};
    const fields = Object.entries(FIELDS).map(([name, caption]) => {
      this.texts[name] = make("div", { class: "text", lang: language, "data-field": name });
      const head = make("div", { class: "caption" }, caption);
      return make("div", { class: "field" }, head, this.texts[name]);
    });
    this.buttons = LABELS.map(({ name, keys }) => {
      const made = button(make("kbd", { "aria-hidden": "true" }, keys.join(" ")), name);
      made.setAttribute("aria-keyshortcuts", keys.join(" "));
      made.dataset.label = name;
      return made;
    });
    this.comment = make("textarea", { rows: "2", dir: "auto", "aria-label": "Comment" });
    this.count = make("span", { class: "count" });
    const most = String(this.items.length);
    this.bar = make("progress", { max: most, "aria-label": "Items labelled" });
    this.previous = button("← Previous");
    this.next = button("Next →");
    this.status = make("span", { role: "status" });
    const guideline = this.model.get("guideline");
    this.root = make(
      "section",
      // The shortcuts of JupyterLab are not meant here.
      { class: "judgeworthy-annotation", tabindex: "0", "data-lm-suppress-shortcuts": "true" },
      make("header", {}, this.count, this.bar),
      ...fields,
      make("div", { class: "labels", role: "group", "aria-label": "Label" }, ...this.buttons),
      make("label", { class: "comment" }, "Comment", this.comment),
      make("footer", {}, this.previous, this.next, this.status),
      make("p", { class: "hint" }, HINT),
      make(
        "details",
        {},
        make("summary", {}, "Guideline"),
        make("div", { dir: "auto", lang: language }, guideline),
      ),
    );
    this.root.setAttribute("aria-label", NAME);
  }

  listen() {
    this.root.addEventListener("keydown", (event) => this.pressed(event));
    for (const each of this.buttons) {
      each.addEventListener("click", () => this.label(each.dataset.label));
    }
    this.previous.addEventListener("click", () => this.step(-1));
    this.next.addEventListener("click", () => this.step(1));
    this.comment.addEventListener("change", () => this.keepComment());
    this.comment.addEventListener("input", () => {
      this.drafts.set(this.item.id, this.comment.value);
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.keepComment(), PAUSE);
    });
    this.heard = (message) => this.answered(message);
    this.model.on("msg:custom", this.heard);
  }

  end() {
    clearTimeout(this.typing);
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    this.model.off("msg:custom", this.heard);
  }

  get item() {
    return this.items[this.place];
  }

  of(item) {
    return this.said.get(item.id) ?? NOTHING;
  }

  unlabelled(from) {
    return this.items.findIndex((item, place) => place >= from && !this.of(item).label);
  }

  show() {
    for (const [name, node] of Object.entries(this.texts)) {
      node.textContent = this.item[name] || "(empty)";
      node.dir = direction(this.item[name], this.item.question);
      node.classList.toggle("empty", !this.item[name]);
      node.scrollTop = 0;
    }
    this.comment.value = this.drafts.get(this.item.id) ?? this.of(this.item).comment;
    this.previous.disabled = this.place === 0;
    this.next.disabled = this.place === this.items.length - 1;
    this.mark();
  }

  mark() {
    const labels = this.items.map((item) => this.of(item).label);
    const labelled = labels.filter(Boolean).length;
    const unsure = labels.filter((label) => label === "UNSURE").length;
    const where = `Item ${this.place + 1} of ${this.items.length}`;
    this.count.textContent = `${where} · ${labelled} labelled, ${unsure} unsure`;
    this.bar.value = labelled;
    for (const each of this.buttons) {
      each.setAttribute("aria-pressed", String(each.dataset.label === labels[this.place]));
    }
  }

  tell(text, fault = false) {
    this.status.textContent = text;
    this.status.classList.toggle("fault", fault);
  }

  label(name) {
    const again = [...this.waiting.values()].some(
      ({ id, label }) => id === this.item.id && label === name,
    );
    if (!again) this.send(name);
  }

  // A comment alone leaves the label as it is.
  keepComment() {
    clearTimeout(this.typing);
    if (this.comment.value.trim() !== this.of(this.item).comment) this.send("");
  }

  send(label) {
    clearTimeout(this.typing);
    const { id } = this.item;
    this.last = Math.random().toString(36).slice(2);
    const timer = setTimeout(() => this.tell(NO_ANSWER, true), PATIENCE);
    this.waiting.set(this.last, { id, label, timer });
    this.tell("Saving …");
    try {
      this.model.send({ number: this.last, id, label, comment: this.comment.value });
    } catch {
      clearTimeout(timer);
      this.waiting.delete(this.last);
      this.tell(STOPPED, true);
    }
  }

  answered({ number, id, label, comment, fault }) {
    if (!fault) this.said.set(id, { label, comment });
    const sent = this.waiting.get(number);
    if (sent) {
      clearTimeout(sent.timer);
      this.waiting.delete(number);
      if (fault) this.tell(`Not saved: ${fault}`, true);
      else this.saved(sent, number === this.last, comment);
    }
    this.mark();
  }

  saved({ id, label }, latest, comment) {
    if (this.drafts.get(id)?.trim() === comment) this.drafts.delete(id);
    if (!latest) return;
    const place = this.items.findIndex((item) => item.id === id) + 1;
    this.tell(`Saved: item ${place}${label && `, ${label}`}.`);
    if (label && id === this.item.id) this.goOn();
  }

  goOn() {
    const later = this.unlabelled(this.place + 1);
    const to = later < 0 ? this.unlabelled(0) : later;
    if (to >= 0) this.move(to);
    else this.tell(`Saved. All ${this.items.length} items are labelled.`);
  }

  step(places) {
    if (!this.status.classList.contains("fault")) this.tell("");
    this.move(this.place + places);
  }

  move(to) {
    if (to < 0 || to >= this.items.length || to === this.place) return;
    this.keepComment();
    this.place = to;
    this.show();
  }

  pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (event.target === this.comment) {
      if (event.key === "Escape") this.root.focus();
      return;
    }
    const label = labelOf(event);
    const step = STEPS[event.key];
    if (!label && !step) return;
    event.preventDefault();
    if (step) this.step(step);
    else if (!event.repeat) this.label(label.name);
  }
}

function render({ model, el }) {
  const view = new View(model);
  el.append(view.root);
  return () => view.end();
}

export default { render };
