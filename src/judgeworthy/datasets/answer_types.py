"""What a question asks for: a person, a place, a number, a date or a thing.

The rule reads the question, and the answer only where its shape contradicts the question. The
question is folded first (see `judgeworthy.text.fold`); the first line of its language's table that
matches decides, and what matches none asks for a **thing**.

English
    *date*: "when", "what year", "on what day". *number*: "how" with an adjective ("how many", "how
    deep"), or "what" with a quantity (population, area, percentage). *thing*: "who is" with a
    name, which is answered by a description. *person*: "who", "whose", "what" with a role. *place*:
    "where", or "what" with a geographic noun as its head.
Arabic
    *date*: متى, or أي with عام, سنة, قرن. *place*: أين, or أي or ما with a geographic noun.
    *number*: كم, or ما with a quantity (عدد, تعداد, مساحة). *person*: من with a verb or a role, ما
    with the name of a relative. *thing*: من هو with a name, which is answered by a description,
    and من in the sense of "from".
Telugu
    *date*: ఎప్పుడు, or ఏ with సంవత్సరం, రోజు, శతాబ్దం. *number*: ఎన్ని, ఎంత, ఎన్నో, పిన్ కోడ్ and the
    census's location code. *person*: ఎవరు, or the name of a relative or a maker. *place*: ఎక్కడ,
    జన్మస్థలం, రాజధాని, or ఏ or ఏది with a geographic noun.
Every language
    A number that was asked for but answered with a month, an era or a range of years is a *date*
    ("how long did it last?" "24–26 July 1953"), unless a number in it is too large for a year. A
    place or a thing answered with digits for at least half of its words is a *number*, or a *date*
    if a month stands beside them.
"""

import re
from collections.abc import Sequence

from judgeworthy.datasets.question import AnswerType
from judgeworthy.text import fold, number_tokens

_EN_PLACES = (
    "city|cities|countr(?:y|ies)|states?|capital|continents?|county|counties|provinces?|districts?"
    "|regions?|towns?|villages?|islands?|rivers?|tributary|lakes?|seas?|oceans?|mountains?|borough"
    "|point|peak|desert|volcano|national park|place"
)
_EN_QUANTITIES = (
    "population|percent(?:age)?|area|density|elevation|height|length|depth|width|distance|number"
    "|rate|income|temperature|speed|weight|age|lifespan|life expectancy|half life"
    "|diameter|cost|size"
)
_EN_ROLES = (
    "king|queen|president|emperor|prime minister|actor|actress|artist|author|writer|scientist"
    "|singer|player|general|pope|founder|father|mother|wife|husband|son|daughter|person"
)
_EN_WHAT = (
    r"(?:what|which)(?: (?:is|are|was|were|s))?(?! an? )(?: (?!of |in |on |for |by |do|did )\S+)"
)
_AR_WHAT = "(?:ما|ماهو|ماهي|من|اذكر)(?: هو| هي| كان| كانت)?"
_AR_PLACES = (
    "مدينه|دوله|بلد|قاره|محافظه|ولايه|منطقه|اقليم|مقاطعه|قريه|جزيره|عاصمه|بحر|نهر|بحيره|جبل|قمه|حي"
    "|شارع|صحراء|مكان"
)
_AR_QUANTITIES = (
    "عدد|تعداد|مساحه|نسبه|سرعه|طول|ارتفاع|عمق|عرض|وزن|مده|كثافه|عمر|رقم|قيمه|درجه|مقدار|حجم|متوسط"
    "|معدل|مدي|ترتيب|مسافه|سعر|عدد سكان"
)
_AR_ROLES = (
    "مولف|كاتب|مخترع|مكتشف|مخرج|موسس|رييس|ملك|ملكه|صاحب|والد|والده|زوج|زوجه|رايد|قايد"
    "|زعيم|وزير|مدرب|مغني|بطل|لاعب|امين|مدير|حاكم|امبراطور|خليفه|شاعر|رسام|مصمم|مقدم|مترجم|عالم|بطله"
    "|مولفه|كاتبه|موسسه|مخترعه|مكتشفه|مخرجه|رييسه|هداف|ممثل|ممثله|مالك|مالكه|قاتل"
)
_TE_PLACES = "జిల్లా|రాష్ట్ర|దేశ|నగర|గ్రామ|మండల|ఊర|పట్టణ|ప్రాంత|ఖండ|ద్వీప|నది|సరస్స|పర్వత|శిఖర|సముద్ర"
_TE_PEOPLE = (
    "తండ్రి|తల్లి|తల్లిదండ్ర|భార్య|భర్త|కుమార|కొడుక|కూతుర|కుమార్తె|సోదర|బావ|దర్శక|నిర్మాత|రచయిత|గురువ|నటి|నటుడ|అసల|పూర్తి"
)

_EN_TIMES = "years?|day|date|month|century|decade|season"
_AR_TIMES = "عام|سنه|قرن|يوم|تاريخ|شهر|فتره|عقد"
_AR_WHO = "من (?:هو|هي|هم|هما)"
_AR_KNOWN = "الذي|التي|الذين|الملقب|الملقبه|الحالي|الحاليه"
_TE_TIMES = "సంవత్సర|రోజ|తేద|తేదీ|శతాబ్ద|నెల"

_ASKED: dict[str, tuple[tuple[AnswerType, str], ...]] = {
    "en": (
        ("date", rf"^ (?:since )?when | (?:what|which) (?:{_EN_TIMES}) "),
        ("number", r"^ how (?!(?:do|does|did|is|are|was|were|can|could|has|have|well|to) )"),
        ("number", rf"{_EN_WHAT}{{0,5}} (?:{_EN_QUANTITIES}) |what (?:{_EN_QUANTITIES}) "),
        ("thing", r"^ who (?:is|was|are|were) (?!the |currently |considered )(?!.* (?:s|of) )"),
        ("person", rf"^ (?:\S+ ){{0,2}}(?:who|whom|whose) |{_EN_WHAT}{{0,3}}? (?:{_EN_ROLES})s? "),
        ("person", rf" name of .*(?:{_EN_ROLES})s? | (?:real|full|birth) name "),
        ("place", rf"^ where | {_EN_WHAT}{{0,5}}? (?:{_EN_PLACES}) \S"),
        ("place", rf" (?:what|which) (?:{_EN_PLACES}) "),
    ),
    "ar": (
        ("date", rf" (?:ف)?متي | اي (?:{_AR_TIMES}) |^ {_AR_WHAT} (?:تاريخ|عام|سنه|موعد) "),
        ("place", rf" اين | اي (?:{_AR_PLACES}) "),
        ("place", rf"^ {_AR_WHAT} (?:اسم )?(?:عاصمه|بلد|موطن|مقر|المقر) "),
        ("place", rf"^ {_AR_WHAT} (?:ثاني |ثالث )?ا(?!سم )\S+ (?:ال)?(?:{_AR_PLACES}|مدن|دول) "),
        ("place", rf"^ {_AR_WHAT} (?:اسم )?(?:ال(?:{_AR_PLACES}|مدن|دول|ممر)|دول) \S+ "),
        ("number", rf" ب?كم |^ {_AR_WHAT} (?:ال)?(?:{_AR_QUANTITIES}) "),
        ("thing", r"^ من (?:هو |هي )?(?:اي|ماذا|اوراق|الشركه|الفريق|القريق|المنظمه) "),
        ("person", rf"^ {_AR_WHAT} (?:اول |ثاني |اخر |اشهر |اسم )*(?:{_AR_ROLES}) "),
        ("person", rf"^ {_AR_WHO} (?:(?:اول|ثاني|اخر|اشهر|افضل|اكبر) |ال\S+ .*(?:{_AR_KNOWN}) )"),
        ("person", r"^ ما(?: ?هو)? (?:ال)?اسم (?:الحقيقي|الكامل) "),
        ("thing", rf"^ {_AR_WHO} "),
        ("person", r"^ من "),
    ),
    "te": (
        ("date", rf" ఎప్పుడ| ఎప్పటి| ఏ (?:{_TE_TIMES})| (?:సంవత్సరం|తేదీ|తేది) ఏ"),
        ("number", r" ఎన్ని(?!క)| ఎంత| ఎన్నో| ఎన్నవ| ఏ వయస్స| (?:పిన|లొకేషన) కోడ "),
        ("person", rf" ఎవర|లెవర| (?:{_TE_PEOPLE})\S* పేర"),
        ("place", rf" ఎక్కడ| జన్మస్థల| జన్మస్థాన| రాజధాని| ఏ (?:{_TE_PLACES})"),
        ("place", rf" \S*(?:{_TE_PLACES})\S* (?:పేర ?)?[ఏే](?:ది|మిటి|ంటి|వి) "),
    ),
}  # fmt: skip

_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|يناير|فبراير|مارس|ابريل|مايو|يونيو|يوليو|اغسطس|سبتمبر|اكتوبر|نوفمبر|ديسمبر"
    "|شباط|اذار|نيسان|ايار|حزيران|تموز|اب|ايلول|تشرين|كانون"
    "|జనవరి|ఫిబ్రవరి|మార్చి|ఏప్రిల|మే|జూన|జూలై|జులై|ఆగస్ట|సెప్టెంబర|అక్టోబర|నవంబర|డిసెంబర"
)
_DATED = re.compile(rf" (?:{_MONTHS}) (?=\d)|(?<=\d) (?:{_MONTHS}) | (?:bce?|ad|ق م|ميلادي) ")


def answer_type(question: str, references: Sequence[str], language: str) -> AnswerType:
    """Decide what type of answer a question asks for.

    Parameters
    ----------
    question : str
        The question as it is asked.
    references : sequence of str
        Its reference answers; the first, which is the one shown, may correct the type.
    language : str
        ISO 639-1 code.

    Returns
    -------
    str
        ``person``, ``place``, ``number``, ``date`` or ``thing``; ``thing`` for a language without
        a table, unless the answer is a number or a date by its shape.
    """
    folded = f" {fold(question)} "
    table = _ASKED.get(language, ())
    asked: AnswerType = next(
        (type_ for type_, pattern in table if re.search(pattern, folded)), "thing"
    )
    return _by_shape(asked, references[0])


def _by_shape(asked: AnswerType, answer: str) -> AnswerType:
    words = fold(answer).split()
    dated = bool(_DATED.search(f" {' '.join(words)} "))
    if asked == "number" and _is_period(answer, dated):
        return "date"
    digits = sum(word[0].isdigit() for word in words)
    if asked in ("place", "thing") and words and digits >= len(words) / 2:
        return "date" if dated else "number"
    return asked


def _is_period(answer: str, dated: bool) -> bool:
    numbers = [float(number) for number in number_tokens(answer)]
    years = len(numbers) > 1 and all(1000 <= number < 2100 for number in numbers)
    return years or (dated and all(number < 2100 for number in numbers))
