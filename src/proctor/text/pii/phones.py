"""Find phone numbers as people write them, and distinguish them from other digits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from proctor.core.verdict import Finding
from proctor.text.lazy_pattern import Lazy
from proctor.text.pii.context import digits_of, made, spaced
from proctor.text.pii.phone_plans import REGIONS, proven, proven_abroad, regions_for

__all__ = ["find_phones", "is_office_line", "phone_key"]

# A row of digit groups. It is possessive, so no text makes it slow.
_ROW: Final = Lazy(
    r"[+(0-9](?<![A-Za-z0-9./#+=_*$€£¥-].)(?<!\d[ .()-][(0-9])(?<!\d[ .()-]{2}[(0-9])(?<![$€£¥]\s.)"
    r"(?:[ .()ー~/-]{0,2}\d){6,}+(?![A-Wa-wY-Zy-z0-9%])(?!-\d)"
)
_MORE: Final = Lazy(r"[ ,]{0,2}(?:x|ext\.?|extension|内線) ?\d{1,6}(?!\w)", re.IGNORECASE)
_GAP: Final = r"[ .ー-]"
_ABROAD: Final = Lazy(r"(?:\+ ?|00 ?|011[ -])[1-9]\d{0,2}(?:[ .()ー/-]{0,2}\d){5,13}")
_STRONG: Final = Lazy(
    # (212) 555-0142, (03)1234-5678; 212-555-0142; 03-1234-5678, 020 7946 0958, 0479 50 54 03; 09012345678
    rf"(?<!\d)(?<!\d[.-])(?:\(\d{{2,5}}\){_GAP}?\d{{2,4}}{_GAP}?\d{{2,4}}(?:{_GAP}\d{{2,4}})?"
    rf"|(?:(?:00)?1{_GAP})?\d{{3}}[-.]\d{{3}}[-.]\d{{4}}"
    rf"|1?\(\d{{3}}\)\d{{3}}-\d{{4}}"
    rf"|0[1-9]\d{{0,3}}(?:{_GAP}\d{{2,4}}){{2,4}}"
    rf"|0[789]0\d{{8}}"
    rf"|\d{{3}} \d{{3}} \d{{4}}"
    rf")(?![-.]?\d)"
)
_DATE: Final = Lazy(r"(?:19|20)\d\d[ ./-](?:0?[1-9]|1[0-2])[ ./-]\d|(?:[0-3]?\d[ ./-]){2}(?:19|20)\d\d(?!\d)")
_NAMED: Final = Lazy(
    r"(?:\b(?:phone|tel|telephone|telefon|t[eé]l[eé]phone|telefono|tel[eé]fono|telefone|mobile?|m[oó]vil"
    r"|cell(?:ular)?|handy"
    r"|call|fax|whatsapp|sms|text|ring|dial|landline|contact|reach|answering|registered)\b|\b(?:desk|office|home|work"
    r"|direct)\b(?=\W{1,3}$)|\b(?:my|his|her|their|our) (?:\w+ )?number\b"
    r"|電話(?:番号)?|携帯|連絡先|手机|电话|전화|телефон)[^\d\n]{0,30}$",
    re.IGNORECASE,
)
_NAMED_AFTER: Final = Lazy(
    r"[^\w\n]{0,3}(?:(?:is|was) (?:my|his|her|their|our|the) (?:\w{1,12} ){0,2}(?:phone|mobile|cell|number)"
    r"|\(?(?:office|mobile|cell|home|work|fax|phone)\b)",
    re.IGNORECASE,
)
_SOMETHING_ELSE: Final = Lazy(
    r"(?:\b(?:order|invoice|booking|reservation|ref|reference|tracking|ticket|case|id|sku|isbn|issn|serial|account"
    r"|acct|policy"
    r"|claim|confirmation|flight|version|model|item|product|parcel|shipment|iban|code|zip|vat|tax|number)\b"
    r"|番号)[^\d\n]{0,12}$",
    re.IGNORECASE,
)
# An order number is not a phone number, whatever its format: the nearest label decides.
_OF_SOMETHING: Final = Lazy(
    r"(?:\b(?:order|invoice|booking|reservation|ref(?:erence)?|tracking|ticket|case|sku|serial|policy|claim"
    r"|confirmation|item|product|parcel|shipment|package|delivery|transaction|purchase|receipt|customer|client|member"
    r"(?:ship)?|meter|article)[ -]?(?:numbers?|no\.?|num|nr\.?|ids?|codes?|ref(?:erence)?|#)"
    r"|\b\w{0,12}(?:bestell|auftrags|rechnungs|buchungs|sendungs|kunden|vorgangs|artikel|reservierungs|referenz|liefer"
    r"|paket|fall|bestel|order|factuur|klant|boekings|zendings|reserverings|referentie|beställnings|faktura|"
    r"boknings|kund"
    r"|ordre|bestillings|kunde|seri[ae]l?)[- ]?(?:nummer|nr\.?)"
    r"|\b(?:num[eé]ro|n[°º.]|r[ée]f[ée]rence|n[úu]mero|c[óo]digo|referencia|codice|code) "
    r"(?:d[aeiou]l?(?:la|l['’])? ?|d['’]|dell['’]|della )?(?:la |ma |mi |mon |minha |votre |su )?"
    r"(?:commande|facture|réservation|suivi|dossier|colis|client|série|pedido|factura|reserva|seguimiento|caso|"
    r"cliente|serie|orden|envío|compra|ordine|fattura|prenotazione"
    r"|spedizione|pratica|fatura|rastreio|rastreamento|encomenda)\w{0,2}"
    r"|\b(?:номер|код)\w{0,2} (?:заказ|счёт|счет|брон|накладн|отправлен|обращен|клиент)\w{0,6}"
    r"|\b(?:numer|nr|číslo|číslem) (?:zamówienia|faktury|rezerwacji|przesyłki|klienta|sprawy|objednávky"
    r"|rezervace|zásilky)"
    r"|\b(?:sipariş|fatura|rezervasyon|takip|müşteri) (?:numara|no)\w{0,6}"
    r"|\b(?:tilaus|lasku|varaus|seuranta|asiakas)(?:numero|tunnus)\w{0,4}"
    r"|(?:注文|受注|予約|追跡|伝票|請求書?|会員|問い?合わせ|商品|顧客|お客様)(?:番号|ID|コード)"
    r"|(?:订单|訂單|预订|發票|发票|快递|运单|物流|客户|会员|合同)(?:编号|编码|号码|号|號)"
    r"|(?:주문|예약|송장|운송장|청구서|고객|회원) ?번호"
    r"|رقم (?:الطلب|الطلبية|طلبي|الفاتورة|الحجز|الشحنة|التتبع|العميل)"
    r"|(?:ऑर्डर|आर्डर|बुकिंग|चालान|ट्रैकिंग|बिल) (?:नंबर|संख्या|आईडी|नं))"
    r"[^\w\n]{0,4}(?:(?:is|was|ist|lautet|war|est|es|è|é|är|er|on|je|to|jest|=|は|が|是|为|는|은|هو|है)[^\w\n]{0,4}){0,2}$",
    re.IGNORECASE,
)
_NO_PHONE: Final = Lazy(r"/|^\d{3}-\d{2}-\d{4}$|^\d{1,3}(?:\.\d{1,3}){3}$")
_MOST_PROOFS: Final = 200  # per text; further numbers are judged by shape alone
_LONGEST_ROW: Final = 40
# Ranges of the national numbering plans that only businesses have.
_TOLL_FREE: Final = Lazy(
    r"^(?:\+?1)?8(?:00|88|77|66|55|44|33|22)\d{7}$|^(?:\+?81|0)(?:120|800|570)\d+$|^(?:\+?44|0)(?:800|808|3\d\d)\d+$"
    r"|^(?:\+?(?:49|33|31|43|41|32|90|55|7)|[08])800\d{5,8}$"  # 0800 in Germany, France, Brazil; 8 800 in Russia
    r"|^(?:\+?34)?90[0-2]\d{6}$|^(?:\+?(?:39|351|48))?80[0-8]\d{6}$|^(?:\+?61)?1[38]00\d{6}$|^(?:\+?49|0)180\d{5,8}$"
)
_OURS: Final = Lazy(
    r"(?:\b(?:call|contact|reach|phone|ring|text|whatsapp) (?:us|our|customer|support|the (?:support|service"
    r"|office|operator|"
    r"airline|hotel|team|desk|store|emergency))|\bour (?:\w+ ){0,4}(?:line|number|hotline|team|desk|office"
    r"|support|cent(?:re|er))\b"
    r"|\b(?:hotline|help ?line|help ?desk|customer (?:service|support|care)|support (?:line|number|team|desk)"
    r"|service (?:line|desk|number)"
    r"|call cent(?:re|er)|toll[- ]free|front desk|reception|emergency (?:line|number))\b"
    r"|お問い合わせ|お客様センター|コールセンター|カスタマー|サポート|窓口|フリーダイヤル|当社|弊社)[^\n]{0,60}$",
    re.IGNORECASE,
)


def find_phones(text: str, regions: Sequence[str] = REGIONS) -> Iterator[Finding]:
    """Find phone numbers: valid in a numbering plan, formatted like one, or labelled."""
    tried = regions_for(text, regions)
    proofs = 0
    for row in _ROW.finditer(text):
        for found in _read(text, row, tried if proofs < _MOST_PROOFS else ()):
            proofs += 1
            yield found
        proofs += 1


def _read(text: str, row: re.Match[str], regions: Sequence[str]) -> Iterator[Finding]:
    written = row.group()
    if not written.startswith("+") and _OF_SOMETHING.search(spaced(text[max(0, row.start() - 60) : row.start()])):
        return
    if (abroad := _ABROAD.match(written)) and (found := _from_abroad(text, row, abroad, bool(regions))):
        yield found
        return
    strong = False
    for count, hit in enumerate(_STRONG.finditer(written)):
        digits = digits_of(hit.group())
        if 9 <= len(digits) <= 12 and not _DATE.match(hit.group().lstrip("(")):
            region = proven(digits, regions) if regions and count < _MOST_PROOFS else None
            place = (row.start() + hit.start(), row.start() + hit.end())
            yield _made(text, place, 0.95 if region else 0.75, region)
            strong = True
    if not strong and len(written) <= _LONGEST_ROW and (weak := _weak(text, row, regions)):
        yield weak


def _from_abroad(text: str, row: re.Match[str], abroad: re.Match[str], prove: bool) -> Finding | None:
    """Return a number with its country code; surplus groups after it are left off."""
    place = (row.start(), row.start() + abroad.end())
    digits = digits_of(abroad.group()).removeprefix("011").lstrip("0")
    if abroad.group().lstrip("+ 01"):
        region = proven_abroad(digits) if prove else None
        plus = abroad.group().startswith("+")
        if region or (plus and 7 <= len(digits) <= 15 and not re.match(r"\+ \d{1,2}(?!\d)", abroad.group())):
            return _made(text, place, 0.97 if region else 0.7, region)
    return None


def _weak(text: str, row: re.Match[str], regions: Sequence[str]) -> Finding | None:
    """Return an ambiguous number if a label names it a phone, or if a plan and its grouping match."""
    start, end = row.span()
    written = row.group()
    digits = digits_of(written)
    if not 7 <= len(digits) <= 13 or _DATE.match(written.lstrip("(")):
        return None
    before = spaced(text[max(0, start - 60) : start])
    if _NAMED.search(before) or _NAMED_AFTER.match(text, end):
        region = proven(digits, regions) if regions else None
        return _made(text, (start, end), 0.9 if region else 0.7, region)
    groups = len(re.findall(r"\d+", written))
    shaped = (groups >= 3 and len(digits) >= 8) or (groups <= 2 and digits[0] == "0" and len(digits) in (10, 11))
    if not shaped or _NO_PHONE.search(written) or _SOMETHING_ELSE.search(before):
        return None
    region = proven(digits, regions) if regions else ""
    return None if region is None else _made(text, (start, end), 0.7, region)


def _made(text: str, place: tuple[int, int], confidence: float, region: str | None) -> Finding:
    start, end = place
    more = _MORE.match(text, end)
    return made("phone", text, (start, more.end() if more else end), confidence, region or "")


def is_office_line(text: str, start: int, end: int) -> bool:
    """Whether the number at this span belongs to a business: toll-free, or introduced as its own."""
    digits = digits_of(text[start:end])
    line = text.rfind("\n", 0, start) + 1
    return _TOLL_FREE.match(digits) is not None or _OURS.search(text[max(line, start - 120) : start]) is not None


def phone_key(number: str) -> str:
    """Return the last nine digits, which are the same with or without the country code."""
    return digits_of(re.split(r"[x内]|ext", number, maxsplit=1)[0])[-9:]
