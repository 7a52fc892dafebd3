"""The language of a text: the same answers as the model that the file was made from."""

from __future__ import annotations

import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from seamline.enrich.language import identify

TEXTS = (
    "The retry fails when the server answers with a rate limit.",
    "Der erneute Versuch schlägt fehl, wenn der Server ablehnt.",
    "La nouvelle tentative échoue lorsque le serveur répond que la limite est dépassée.",
    "El reintento falla cuando el servidor responde que se ha superado el límite.",
    "Повторная попытка завершается неудачей, если сервер отвечает отказом.",
    "サーバーがリクエストの上限に達したと応答すると、再試行は失敗します。",
    "当服务器回答超过限制时，重试失败。",
    "서버가 제한을 초과했다고 응답하면 재시도가 실패합니다.",
    "تفشل المحاولة عندما يرد الخادم بأن عدد الطلبات تجاوز الحد.",
    "Η προσπάθεια αποτυγχάνει όταν ο διακομιστής απαντά με όριο.",
    "THE RETRY FAILS WHEN THE SERVER ANSWERS",
    "Project status report",
    "x = y + 1; return z",
    "e\u0301te\u0301 comme hiver",
    "0123",
    "a",
    "",
)


@pytest.fixture(scope="module")
def original() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@pytest.mark.parametrize("text", TEXTS)
def test_the_answer_is_that_of_py3langid(original: LanguageIdentifier, text: str) -> None:
    code, sure = identify(text)
    expected, share = original.classify(text)
    assert code == expected
    assert sure == pytest.approx(share, abs=1e-3)  # which adds up in single precision


def test_a_mixture_is_less_certain() -> None:
    english, german = TEXTS[0], TEXTS[1]
    assert identify(english + " " + german)[1] < min(identify(english)[1], identify(german)[1])
