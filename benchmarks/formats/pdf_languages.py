"""Sentences and headings in scripts other than Latin, for `pdf_judged`."""

from __future__ import annotations

import random
from typing import NamedTuple


class Language(NamedTuple):
    """What is written in one script."""

    code: str
    sentences: tuple[str, ...]
    headings: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]

    def paragraph(self, draw: random.Random, count: int = 4) -> str:
        between = "" if self.code in ("ja", "zh") else " "
        return between.join(draw.choice(self.sentences) for _ in range(count))


ARABIC = Language(
    "ar",
    (
        "تقع المدينة القديمة على ضفة النهر منذ ألف عام.",
        "يبدأ العمل في الصباح الباكر وينتهي قبل غروب الشمس.",
        "قاس المهندسون منسوب المياه في كل شهر من شهور السنة.",
        "تحتاج المضخة الجديدة إلى صيانة دورية كل ستة أسابيع.",
        "لم يجد الباحثون تفسيرا واضحا لهذه الظاهرة حتى الآن.",
    ),
    ("مقدمة عامة", "طريقة العمل", "النتائج الرئيسية", "الخلاصة والتوصيات"),
    (("المحطة", "الربيع", "الصيف"), ("الشمال", "١٢٣", "٤٥٦"), ("الجنوب", "٧٨٩", "٣٢١"), ("الشرق", "٦٥٤", "٩٨٧")),
)
HEBREW = Language(
    "he",
    (
        "העיר העתיקה שוכנת על גדת הנהר מזה אלף שנים.",
        "העבודה מתחילה מוקדם בבוקר ומסתיימת לפני השקיעה.",
        "המהנדסים מדדו את מפלס המים בכל חודש בשנה.",
        "המשאבה החדשה זקוקה לתחזוקה שוטפת כל שישה שבועות.",
        "החוקרים לא מצאו הסבר ברור לתופעה עד היום.",
    ),
    ("מבוא כללי", "שיטת העבודה", "תוצאות עיקריות", "סיכום והמלצות"),
    (("תחנה", "אביב", "קיץ"), ("צפון", "123", "456"), ("דרום", "789", "321"), ("מזרח", "654", "987")),
)
HINDI = Language(
    "hi",
    (
        "पुराना शहर एक हजार साल से नदी के किनारे बसा है।",
        "काम सुबह जल्दी शुरू होता है और शाम से पहले समाप्त होता है।",
        "इंजीनियरों ने हर महीने पानी का स्तर मापा।",
        "नए पंप को हर छह सप्ताह में रखरखाव की आवश्यकता होती है।",
        "शोधकर्ताओं को अब तक इसका कोई स्पष्ट कारण नहीं मिला।",
    ),
    ("सामान्य परिचय", "काम करने का तरीका", "मुख्य परिणाम", "निष्कर्ष और सुझाव"),
    (("केंद्र", "वसंत", "गर्मी"), ("उत्तर", "123", "456"), ("दक्षिण", "789", "321"), ("पूर्व", "654", "987")),
)
JAPANESE = Language(
    "ja",
    (
        "古い町は千年前から川のほとりにあります。",
        "仕事は朝早く始まり、日没前に終わります。",
        "技術者は毎月、水位を測定しました。",
        "新しいポンプは六週間ごとに整備が必要です。",
        "研究者はまだ明確な説明を見つけていません。",
    ),
    ("はじめに", "作業の方法", "主な結果", "まとめと提案"),
    (("観測所", "春", "夏"), ("北部", "123", "456"), ("南部", "789", "321"), ("東部", "654", "987")),
)
CHINESE = Language(
    "zh",
    (
        "这座古城在河边已有一千年的历史。",
        "工作从清晨开始，到日落之前结束。",
        "工程师每个月都测量水位的变化。",
        "新的水泵每六个星期需要维护一次。",
        "研究人员至今没有找到明确的解释。",
    ),
    ("引言", "工作方法", "主要结果", "结论和建议"),
    (("站点", "春季", "夏季"), ("北部", "123", "456"), ("南部", "789", "321"), ("东部", "654", "987")),
)
LANGUAGES = (ARABIC, HEBREW, HINDI, JAPANESE, CHINESE)

ALPHABETS = {
    "bold": (0x1D400, 0x1D41A),
    "italic": (0x1D434, 0x1D44E),
    "script": (0x1D4D0, 0x1D4EA),
    "fraktur": (0x1D56C, 0x1D586),
    "double": (0x1D538, 0x1D552),
    "sans": (0x1D5A0, 0x1D5BA),
}
"""Where the capital and the small letters of the mathematical alphabets begin."""
_HOLES = {0x1D455, 0x1D53A, 0x1D53F, 0x1D545, 0x1D547, 0x1D548, 0x1D549, 0x1D551}
GOTHIC = "𐌰𐍄𐍄𐌰 𐌿𐌽𐍃𐌰𐍂 𐌸𐌿 𐌹𐌽 𐌷𐌹𐌼𐌹𐌽𐌰𐌼 𐍅𐌴𐌹𐌷𐌽𐌰𐌹 𐌽𐌰𐌼𐍉 𐌸𐌴𐌹𐌽"
"""A script beyond the first plane."""


def letters(alphabet: str, word: str) -> str:
    """A word of Latin letters in a mathematical alphabet."""
    upper, lower = ALPHABETS[alphabet]
    codes = [(upper if c.isupper() else lower) + ord(c.lower()) - 97 for c in word]
    return "".join(c if code in _HOLES else chr(code) for c, code in zip(word, codes, strict=True))
