"""Words of nine languages for the facts that ``facts.py`` composes: nouns, amounts, times, and sentences with slots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["DAYS", "LENGTHS", "MONTHS", "NUMBERS", "TENS", "TONGUES", "WORDS"]

TONGUES = ("en", "de", "fr", "es", "it", "pt", "ru", "ja", "zh")

# the numbers one to twenty, as they stand before a noun
NUMBERS: dict[str, list[str]] = {
    "en": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty".split(),
    "de": "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn"
    " achtzehn neunzehn zwanzig".split(),
    "fr": "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit"
    " dix-neuf vingt".split(),
    "es": "un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete"
    " dieciocho diecinueve veinte".split(),
    "it": "un due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici"
    " diciassette diciotto diciannove venti".split(),
    "pt": "um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito"
    " dezenove vinte".split(),
    "ru": "один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать"
    " пятнадцать шестнадцать семнадцать восемнадцать девятнадцать двадцать".split(),
    "ja": "一 二 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十".split(),
    "zh": "一 两 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十".split(),
}
# thirty, forty … a hundred
TENS: dict[str, list[str]] = {
    "en": "thirty forty fifty sixty seventy eighty ninety hundred".split(),
    "de": "dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert".split(),
    "fr": "trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix cent".split(),
    "es": "treinta cuarenta cincuenta sesenta setenta ochenta noventa cien".split(),
    "it": "trenta quaranta cinquanta sessanta settanta ottanta novanta cento".split(),
    "pt": "trinta quarenta cinquenta sessenta setenta oitenta noventa cem".split(),
    "ru": "тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто сто".split(),
    "ja": "三十 四十 五十 六十 七十 八十 九十 百".split(),
    "zh": "三十 四十 五十 六十 七十 八十 九十 一百".split(),
}
DAYS: dict[str, list[str]] = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split(),
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche".split(),
    "es": "lunes martes miércoles jueves viernes sábado domingo".split(),
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica".split(),
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo".split(),
    "ru": "понедельник вторник среду четверг пятницу субботу воскресенье".split(),
    "ja": "月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日".split(),
    "zh": "星期一 星期二 星期三 星期四 星期五 星期六 星期日".split(),
}
MONTHS: dict[str, list[str]] = {
    "en": "January February March April May June July August September October November December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split(),
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro".split(),
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря".split(),
    "ja": [f"{i}月" for i in range(1, 13)],
    "zh": [f"{i}月" for i in range(1, 13)],
}

# lengths of time in minutes, each as people say it; forms of one row mean the same
_MINUTES = (10, 15, 30, 45, 60, 90, 120, 1440, 2880, 4320, 7200, 10080, 14400, 20160, 30240, 43200, 129600, 259200,
            525600, 1051200, 1576800, 2628000, 5256000)  # fmt: skip
_LENGTHS: dict[str, str] = {
    "en": "10 minutes=ten minutes|15 minutes=a quarter of an hour=fifteen minutes|30 minutes=half an hour=thirty minutes|45 minutes=three quarters of an hour|60 minutes=one hour=an hour|90 minutes=an hour and a half=one and a half hours|2 hours=two hours=120 minutes|24 hours=one day=a day|48 hours=two days=2 days|72 hours=three days=3 days|5 days=five days|7 days=one week=a week|10 days=ten days|14 days=two weeks=a fortnight|21 days=three weeks=3 weeks|30 days=thirty days|3 months=three months=a quarter of a year|6 months=six months=half a year|12 months=one year=a year|24 months=two years=2 years|36 months=three years=3 years|5 years=five years=60 months|10 years=ten years=a decade",
    "de": "10 Minuten=zehn Minuten|15 Minuten=eine Viertelstunde=fünfzehn Minuten|30 Minuten=eine halbe Stunde|45 Minuten=eine Dreiviertelstunde|60 Minuten=eine Stunde|90 Minuten=anderthalb Stunden=eineinhalb Stunden|2 Stunden=zwei Stunden=120 Minuten|24 Stunden=einen Tag|48 Stunden=zwei Tage=2 Tage|72 Stunden=drei Tage=3 Tage|5 Tage=fünf Tage|7 Tage=eine Woche=sieben Tage|10 Tage=zehn Tage|14 Tage=zwei Wochen=vierzehn Tage|21 Tage=drei Wochen=3 Wochen|30 Tage=dreißig Tage|3 Monate=drei Monate=ein Vierteljahr|6 Monate=sechs Monate=ein halbes Jahr|12 Monate=ein Jahr=zwölf Monate|24 Monate=zwei Jahre=2 Jahre|36 Monate=drei Jahre=3 Jahre|5 Jahre=fünf Jahre=60 Monate|10 Jahre=zehn Jahre=ein Jahrzehnt",
    "fr": "10 minutes=dix minutes|15 minutes=un quart d'heure=quinze minutes|30 minutes=une demi-heure=trente minutes|45 minutes=trois quarts d'heure|60 minutes=une heure|90 minutes=une heure et demie|2 heures=deux heures=120 minutes|24 heures=une journée=un jour|48 heures=deux jours=2 jours|72 heures=trois jours=3 jours|5 jours=cinq jours|7 jours=une semaine=sept jours|10 jours=dix jours|14 jours=deux semaines|21 jours=trois semaines|30 jours=trente jours|3 mois=trois mois=un trimestre|6 mois=six mois=un semestre|12 mois=un an=une année=douze mois|24 mois=deux ans=2 ans|36 mois=trois ans=3 ans|5 ans=cinq ans=60 mois|10 ans=dix ans=une décennie",
    "es": "10 minutos=diez minutos|15 minutos=un cuarto de hora=quince minutos|30 minutos=media hora=treinta minutos|45 minutos=tres cuartos de hora|60 minutos=una hora|90 minutos=una hora y media|2 horas=dos horas=120 minutos|24 horas=un día|48 horas=dos días=2 días|72 horas=tres días=3 días|5 días=cinco días|7 días=una semana=siete días|10 días=diez días|14 días=dos semanas|21 días=tres semanas|30 días=treinta días|3 meses=tres meses=un trimestre|6 meses=seis meses=medio año|12 meses=un año=doce meses|24 meses=dos años=2 años|36 meses=tres años=3 años|5 años=cinco años=60 meses|10 años=diez años=una década",
    "it": "10 minuti=dieci minuti|15 minuti=un quarto d'ora=quindici minuti|30 minuti=mezz'ora=trenta minuti|45 minuti=tre quarti d'ora|60 minuti=un'ora|90 minuti=un'ora e mezza|2 ore=due ore=120 minuti|24 ore=un giorno|48 ore=due giorni=2 giorni|72 ore=tre giorni=3 giorni|5 giorni=cinque giorni|7 giorni=una settimana=sette giorni|10 giorni=dieci giorni|14 giorni=due settimane|21 giorni=tre settimane|30 giorni=trenta giorni|3 mesi=tre mesi=un trimestre|6 mesi=sei mesi=mezzo anno|12 mesi=un anno=dodici mesi|24 mesi=due anni=2 anni|36 mesi=tre anni=3 anni|5 anni=cinque anni=60 mesi|10 anni=dieci anni=un decennio",
    "pt": "10 minutos=dez minutos|15 minutos=um quarto de hora=quinze minutos|30 minutos=meia hora=trinta minutos|45 minutos=três quartos de hora|60 minutos=uma hora|90 minutos=uma hora e meia|2 horas=duas horas=120 minutos|24 horas=um dia|48 horas=dois dias=2 dias|72 horas=três dias=3 dias|5 dias=cinco dias|7 dias=uma semana=sete dias|10 dias=dez dias|14 dias=duas semanas|21 dias=três semanas|30 dias=trinta dias|3 meses=três meses=um trimestre|6 meses=seis meses=meio ano|12 meses=um ano=doze meses|24 meses=dois anos=2 anos|36 meses=três anos=3 anos|5 anos=cinco anos=60 meses|10 anos=dez anos=uma década",
    "ru": "10 минут=десять минут|15 минут=четверть часа=пятнадцать минут|30 минут=полчаса=тридцать минут|45 минут=сорок пять минут|60 минут=один час=час|90 минут=полтора часа|2 часа=два часа=120 минут|24 часа=сутки|48 часов=двое суток=2 дня|72 часа=трое суток=3 дня|5 дней=пять дней|7 дней=одну неделю=неделю|10 дней=десять дней|14 дней=две недели=2 недели|21 день=три недели=3 недели|30 дней=тридцать дней|3 месяца=три месяца=квартал|6 месяцев=полгода=шесть месяцев|12 месяцев=один год=год|24 месяца=два года=2 года|36 месяцев=три года=3 года|5 лет=пять лет=60 месяцев|10 лет=десять лет",
    "ja": "10分=十分間|15分=十五分間|30分=半時間=三十分|45分=四十五分間|60分=1時間=一時間|90分=1時間半=一時間半|2時間=二時間=120分|24時間=1日=丸一日|48時間=2日=二日間|72時間=3日間=三日間|5日間=五日間|7日間=1週間=一週間|10日間=十日間|14日間=2週間=二週間|21日間=3週間=三週間|30日間=三十日間|3か月=三か月=四半期|6か月=半年=六か月|12か月=1年=一年間|24か月=2年=二年間|36か月=3年=三年間|5年=五年間=60か月|10年=十年間",
    "zh": "10分钟=十分钟|15分钟=一刻钟=十五分钟|30分钟=半小时=三十分钟|45分钟=三刻钟=四十五分钟|60分钟=1小时=一个小时|90分钟=一个半小时=1.5小时|2小时=两个小时=120分钟|24小时=一天=1天|48小时=两天=2天|72小时=三天=3天|5天=五天|7天=一周=一个星期|10天=十天|14天=两周=两个星期|21天=三周=三个星期|30天=三十天|3个月=三个月=一个季度|6个月=半年=六个月|12个月=一年=1年|24个月=两年=2年|36个月=三年=3年|5年=五年=60个月|10年=十年",
}  # fmt: skip
LENGTHS: dict[str, list[tuple[int, list[str]]]] = {
    tongue: [(minutes, row.split("=")) for minutes, row in zip(_MINUTES, rows.split("|"), strict=True)]
    for tongue, rows in _LENGTHS.items()
}

# For each language: ``fee`` nouns of what can cost something, ``last`` of what lasts, ``goods`` of what is sold, ``act`` what
# may be done, ``who`` groups of people, ``steps`` what is done in an order, each list in one order; then sentences with
# slots: ``x`` a noun, ``m`` an amount, ``d`` a length of time, ``n`` a number, ``t`` and ``u`` times of day, ``w`` a day of
# the week, ``c`` a date, ``a`` and ``b`` steps or acts, ``g`` a group. ``tri`` are sentences with what follows, what
# contradicts and what is left open.
WORDS: dict[str, dict[str, list[Any]]] = json.loads(
    (Path(__file__).parent / "wording" / "facts.json").read_text(encoding="utf-8")
)
