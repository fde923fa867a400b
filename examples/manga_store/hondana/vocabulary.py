"""The words by which the assistant knows what is meant, in English and Japanese."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["ASPECTS", "CHAT", "CHECKOUT", "ECHOES", "FAQ", "GENRES", "INTENT_WORDS", "LIMITS", "ORDINALS"]

Words = Mapping[str, re.Pattern[str]]


def _words(**patterns: str) -> Words:
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in patterns.items()}


INTENT_WORDS = _words(
    recommendation=r"recommend|suggest|similar to|looking for|something like|more like|what should i read|any good|"
    r"in the mood|manga like|good first|anything (?:by|like)|おすすめ|"
    r"お勧め|オススメ|似た|ような漫画|探して|読みたい|何かありますか",
    promotion=r"\bsales?\b|discount|coupons?\b|promotion|promo\b|\bdeals?\b|% off|special offer|campaign|cheaper this|"
    r"セール|割引|クーポン|キャンペーン|お得|フェア",
    return_request=r"(?:want|like|need|wish|start|begin|arrange|make) (?:to )?(?:a |my )?"
    r"(?:return|send back|send .{1,30} back)"
    r"|(?:return|send back|refund) (?:my|order|this order|for order)|send .{0,30}H-?\d{4} back|give .{1,20} back"
    r"|返品したい|返品をお願い|返送したい|返したい|返金してほしい|返品手続き",
    order_tracking=r"where(?: is|'s) my|track|my (?:order|parcel|package)|has .{0,30}(?:shipped|arrived)|"
    r"status of|when will .{0,40}arrive"
    r"|order number|注文番号|注文状況|荷物|配送状況|発送され|いつ届|どこに|届きますか|届いていません",
)

# Ordered: the first that fits is taken, so the special ones stand before the general ones.
FAQ = _words(
    returns_unopened=r"(?:unopened|sealed|still wrapped|not opened|haven't opened|shrink).*|未開封|開けていない",
    damaged=r"damaged|torn|bent|misprint|broken|破損|破れ|傷|乱丁",
    refunds=r"refund|money back|返金",
    returns_postage=r"(?:return|send(?:ing)? (?:it )?back).*(?:postage|shipping|cost|pay|free)|"
    r"(?:pays?|postage|cost).*(?:return|send(?:ing)? (?:it )?back)|"
    r"返品.*(?:送料|費用)|返送料",
    returns_opened=r"return|send (?:it |a .{1,20})?back|already read|opened|返品|開封|返せ|読んだ後|読んでしまった",
    shipping_abroad=r"abroad|overseas|international|outside japan|to (?:germany|france|canada|brazil|the us|australia)|"
    r"海外|国外",
    shipping_cost=r"(?:shipping|delivery|postage).*(?:cost|fee|free|much|price)|(?:cost|fee|free|much).*(?:shipping|delivery|postage)|"
    r"shipping fee|送料",
    shipping_time=r"how (?:long|fast|quick).*(?:deliver|ship|arrive)|delivery time|"
    r"when .*deliver|business days|何日で届|お届けまで|配達.*何日|届くまで",
    preorder=r"pre-?order|予約",
    cancel=r"cancel|キャンセル|取り消",
    points=r"\bpoints?\b|ポイント",
    hours=r"hours|(?:support|service) (?:open|team)|open on|when can i (?:call|reach)|"
    r"contact|営業時間|受付時間|問い合わせ|サポート",
    gift=r"gift|wrap|ギフト|プレゼント|包装|ラッピング",
    account=r"account|my data|退会|アカウント",
)

CHECKOUT = _words(
    coupon=r"(?:enter|use|apply|where|two|combine|several|work).*(?:coupon|code)|"
    r"(?:coupon|code).*(?:enter|field|work|combine|accepted)|クーポン.*(?:入力|使い方|使え|どこ|併用|2枚)|"
    r"コード.*(?:入力|どこ)",
    card_declined=r"declined|rejected|card (?:does not|doesn't|will not|won't|is not)|"
    r"(?:3-?d secure)|カード.*(?:使え|拒否|通ら|エラー)|決済エラー",
    konbini=r"convenience store|konbini|コンビニ",
    payment_methods=r"payment method|how can i pay|ways to pay|pay (?:with|by)|accept|"
    r"bank transfer|cards do you|支払い方法|お支払い|払えますか|銀行振込",
    currency=r"currency|in dollars|in yen|us dollars|通貨|ドルで|円で",
    address=r"address|ship(?:ped)? to another|住所|届け先|お届け先",
    receipt=r"receipt|invoice|領収書|請求書",
    cart=r"\bcart\b|\bbasket\b|カート",
    order_limit=r"how many copies|maximum|limit|at once|何冊まで|上限",
)

GENRES = {
    "horror": re.compile(r"horror|scary|creepy|ghost|ホラー|怖い|恐怖", re.IGNORECASE),
    "adventure": re.compile(r"adventure|action|shonen|冒険|少年漫画|アクション", re.IGNORECASE),
    "romance": re.compile(r"romance|romantic|love stor|shojo|恋愛|ラブ|少女漫画", re.IGNORECASE),
    "mystery": re.compile(r"myster|detective|crime|whodunit|ミステリ|推理|探偵", re.IGNORECASE),
    "slice of life": re.compile(
        r"slice[- ]of[- ]life|everyday life|calm|cosy|cozy|relaxing|日常|ほのぼの|癒", re.IGNORECASE
    ),
    "sports": re.compile(r"sports?\b|basketball|baseball|volleyball|スポーツ|部活", re.IGNORECASE),
    "fantasy": re.compile(r"fantasy|isekai|magic|witch(?:es)?\b|dragons?\b|ファンタジー|異世界|魔法", re.IGNORECASE),
    "science fiction": re.compile(
        r"science[- ]fiction|sci-?fi|(?<![a-z])SF(?![a-z])|space|robots?\b|宇宙", re.IGNORECASE
    ),
}

ASPECTS = _words(
    price=r"how much|price|cost|expensive|いくら|値段|価格|何円",
    author=r"who (?:wrote|drew|is the author|made|created)|author|artist|written by|drawn by|作者|著者|誰が描|誰の",
    english=r"in english|english (?:edition|volumes|translation|version)|translated|英語",
    volumes=r"how many volumes|how long is|number of volumes|volumes (?:are|does)|何巻|全何",
    status=r"finished|complete[d]?\b|ongoing|still running|ended|over yet|完結|連載中|続いて",
    stock=r"in stock|available|availability|do you have|can i (?:buy|get|order)|"
    r"sold out|在庫|ありますか|買えますか|売り切れ",
    year=r"when did|what year|which year|how old|start(?:ed)? (?:in|running)|いつ始|何年",
    plot=r"about\b|plot|story|what happens|tell me more|どんな話|あらすじ|内容|詳しく|どんな漫画",
)

LIMITS = _words(
    short=r"\bshort\b|few volumes|not too long|one weekend|短い|短め|巻数の少ない",
    complete=r"finished|complete[d]?\b|that has ended|完結",
    english=r"fully (?:translated|in english)|all in english|complete in english|全巻英語",
)

ORDINALS = {
    0: re.compile(
        r"\bfirst(?: one| title| book| series)?\b(?! order| volume| time)|"
        r"#1\b|number one|一つ目|1つ目|ひとつ目|1番目|一番目|最初の",
        re.IGNORECASE,
    ),
    1: re.compile(
        r"\bsecond(?: one| title| book| series)?\b|#2\b|number two|二つ目|2つ目|ふたつ目|2番目|二番目", re.IGNORECASE
    ),
    2: re.compile(
        r"\bthird(?: one| title| book| series)?\b|#3\b|number three|三つ目|3つ目|みっつ目|3番目|三番目", re.IGNORECASE
    ),
    -1: re.compile(r"\blast one\b|the last (?:title|book|series)|最後の(?:もの|作品|漫画|は)", re.IGNORECASE),
}

CHAT = _words(
    thanks=r"\bthank|thanks|appreciate|ありがとう|助かりました",
    who=r"who are you|your name|are you (?:a |an )?(?:human|bot|robot|real|person)|"
    r"what can you do|あなたは誰|お名前|人間ですか|何ができ",
    mood=r"how are you|how's it going|how is your day|元気|調子",
    favourite=r"your favou?rite|do you (?:like|read|enjoy)|好きな漫画|あなたは漫画|漫画は好き",
    joke=r"joke|make me laugh|冗談|面白いこと",
    weather=r"weather|news|football|politics|天気|ニュース",
    bye=r"\bbye\b|good ?night|see you|farewell|さようなら|おやすみ|またね",
    hello=r"\bhello\b|\bhi\b|\bhey\b|good (?:morning|evening|afternoon)|こんにちは|おはよう|こんばんは|はじめまして",
    sorry=r"bored|tired|sad|long day|rough day|lonely|疲れ|退屈|悲しい|寂しい",
)

# What small talk is answered with of its own words: a greeting for a greeting, the matter that was asked about.
ECHOES = {
    "en": {
        "good morning": "Good morning",
        "good evening": "Good evening",
        "good afternoon": "Good afternoon",
        "weather": "the weather",
        "news": "the news",
        "football": "football",
        "politics": "politics",
        "bored": "bored",
        "tired": "tired",
        "sad": "sad",
        "lonely": "lonely",
    },
    "ja": {
        "おはよう": "おはようございます",
        "こんばんは": "こんばんは",
        "はじめまして": "はじめまして",
        "天気": "天気",
        "ニュース": "ニュース",
    },
}
