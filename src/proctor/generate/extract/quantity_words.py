"""What prompts count, and the words that bound an amount, in many languages."""

from __future__ import annotations

import re
from typing import Final

from proctor.text.lazy_pattern import Lazy

__all__ = ["AFTER", "BEFORE", "CASES", "FRENCH_UNITS", "LOOSE", "NEGATION", "UNITS"]

# Measure of a predicate -> the nouns that mean it. A noun with another meaning in another language is left out here.
UNITS: Final[tuple[tuple[str, str], ...]] = (
    (
        "exclamations",
        r"exclamation (?:marks?|points?)|ausrufezeichen|points? d['’]exclamation|signos? de exclamación|"
        r"pontos? de exclamação|punt[oi] esclamativ[oi]|uitroeptekens?|感叹号|惊叹号|感嘆符|ビックリマーク|"
        r"восклицательн\w+ знак\w*|wykrzyknik\w*|ünlem\w*|느낌표|"
        r"vykřičník\w*|utropstecken|udråbstegn|علامات? تعجب|dấu chấm than|tanda seru|विस्मय\S*",
    ),
    (
        "questions",
        r"(?:(?:follow-?up|clarifying|open|short|simple) )?questions?(?: marks?)?|(?:rück)?fragen?|fragezeichen|"
        r"preguntas?|perguntas?|domand[ae]|vragen|vraag|问题|提问|質問|вопрос\w*|pyta(?:nie|nia|ń)|soru|질문|"
        r"fråg(?:or|a)|spørgsmål|otáz\w+|запитан\w+|أسئلة|سؤال|सवाल\w*|प्रश्न\w*|câu hỏi|pertanyaan|kérdés\w*|"
        r"întreb\w+|kysymys\w*",
    ),
    ("count /#[^\\s#]+/", r"hash-?tags?|话题标签|标签|ハッシュタグ|хештег\w*|해시태그"),
    (
        "emoji",
        r"[ée]mojis?|emoticon(?:s|es)?|smileys?|表情(?:符号)?|絵文字|эмодзи|이모지|이모티콘|эмодзи|смайлик\w*|"
        r"emoj[eio]\w*|emotikon\w*|इमोजी|إيموجي|biểu tượng cảm xúc",
    ),
    (
        "numbered items",
        r"(?:numbered|nummerierten?|numerad[oa]s?|numérotées?|genummerde) (?:steps?|items?|points?|schritten?|"
        r"punkten?|pasos|passos|passi|étapes|stappen)|(?:schritte|pasos|passos|étapes|passi) (?:numérotées|"
        r"numerad[oa]s|numerati)",
    ),
    (
        "bullets",
        r"bullet[- ]?points?|bullets|bulleted (?:items|points)|stichpunkten?|aufzählungspunkten?|spiegelstrichen?|"
        r"puces|viñetas|marcadores|punti elenco|opsommingstekens|箇条書き|"
        r"punktor\w*|wypunktowa\w*|odráž\w+|글머리 ?기호|पॉइंट",
    ),
    ("items", r"要点|条目|項目|list items|listenpunkten?|listeneinträge"),
    ("headings", r"headings|section titles|überschriften|títulos de sección|intertitres|小标题|見出し"),
    (
        "links",
        r"links|urls|hyperlinks|web addresses|liens|enlaces|链接|リンク|länk(?:ar)?|lenker|odkaz\w*|odnośnik\w*|"
        r"ссыл(?:ки|ок|ка)|посилан\w+|bağlantı\w*|링크|روابط|liên kết|tautan",
    ),
    (
        "words",
        r"words?(?! counts?| limits?| choices?| order| problem)|w[öo]rter[n]?|wort|worten?|mots?|palabras?|palavras?|"
        r"ord|parole|parola|woorden|woord|слов[ао]?|słow(?:o|a)|słów|kelime\w*|단어|単語|个词|词语|slov(?:a|o|ech)?|"
        r"शब्द(?:ों)?|كلم(?:ة|ات)|낱말|từ|kata|λέξεις|слів|cuvinte|szó|sanaa",
    ),
    (
        "characters",
        r"characters?|chars|zeichen|caractères?|caracteres|caráter|caratteri|tekens|символ\w*|знак\w*|znak(?:i|ów)|"
        r"tecken|tegn|karakter\w*|글자|字符|个字(?!段)|文字(?!以外)|字(?![段体])|znak(?:y|ů)|"
        r"자(?![막신리세료동기유체])|글자|अक्षर(?:ों)?|حرفا?|أحرف|ký tự|χαρακτήρες|merkkiä|caractere|символів",
    ),
    (
        "sentences",
        r"sentences?|s[äa]tze[n]?|satz|oraci[oó]n(?:es)?|frases?|frasi|sentenças?|zinnen|zin|句话|句子|句|"
        r"文(?![字章本])|предложени\w+|zda(?:nie|nia|ń)|mening(?:ar)?|sætning(?:er)?|cümle\w*|문장|zdani\w+|vět\w*|"
        r"वाक्य(?:ों)?|جملة|جمل|câu|kalimat|речен\w+|προτάσεις|mondat\w*|propoziți\w+|lausetta|setning(?:er)?",
    ),
    (
        "lines",
        r"lines?(?! breaks?| items?| lengths?| numbers?| spacing)|zeilen?|lignes?|l[ií]neas?|renglones|linhas?|righe|"
        r"riga|regels|行|строк\w*|linij(?:ki|ka|ek)|wiersz(?:y|e)?|rad(?:er)?|linjer?|satır\w*|줄|"
        r"řádk\w*|řádek|linií|पंक्ति\w*|أسطر|سطر\w*|dòng|baris|рядк\w*|sor\b|rânduri|riviä",
    ),
    (
        "paragraphs",
        r"paragraphs?|abs[äa]tze[n]?|absatz|paragraphes?|p[aá]rrafos?|par[aá]grafos?|paragrafi|paragrafo|"
        r"alinea['’]?s?|段落|段|абзац\w*|akapit\w*|stycken?|afsnit|paragraf\w*|단락|문단|odstav\w+|فقر(?:ة|ات)|"
        r"अनुच्छेद\w*|đoạn(?: văn)?|абзац\w*|bekezdés\w*|kappale\w*|avsnitt",
    ),
)
# ``phrases`` are sentences in French, and not in English.
FRENCH_UNITS: Final = (("sentences", r"phrases?"),)
NEGATION: Final = (
    r"(?:\bno\b|\bnot\b|\bnone\b|n['’]t\b|\b(?:do|does|did|is|are|ca|wo|should|must|would|could)nt\b|\bnever\b|"
    r"\bwithout\b|\bavoid\w*|\bcannot\b|\bnor\b|\bneither\b|\brefrain\w*|\bzero\b|\bkein\w*|\bnicht\b|"
    r"\bnie(?:mals)?\b|\bohne\b|\bweder\b|\bnoch\b|\bverzicht\w*|\bvermeid\w*|\bverboten\b|\bpas\b|\bjamais\b|"
    r"\baucune?\b|\bsans\b|\bni\b|\bévite\w*|\binterdit\w*|\bnunca\b|\bjamás\b|\bsin\b|\bning[uú]n\w*|\bnada de\b|"
    r"\bevit[ae]\w*|\bprohibid\w*|\bnão\b|\bsem\b|\bnem\b|\bnenhum\w*|\bproibid\w*|\bnon\b|\bsenza\b|\bnessun\w*|"
    r"\bmai\b|\bné\b|\bniente\b|\bvietat\w*|\bevita\w*|\bgeen\b|\bniet\b|\bnooit\b|\bnergens\b|\bnirgends\b|"
    r"\bnigdzie\b|\bzonder\b|\bне\b|\bбез\b|\bникаких\b|\bни\b|\bnie\b|\bbez\b|\bżadn\w+|\bani\b|\binte\b|\binga?\b|"
    r"\binget\b|\bingen\b|\baldrig?\b|\butan\b|\bikke\b|\bintet\b|\buden\b|\buten\b|\bžádn\w+|\bnikdy\b|"
    r"\bne\w{4,}(?:j|jte|í|š|ň|te)\b|\bжодн\w+|\bніколи\b|\bникогда\b|\bниколи\b|\bjangan\b|\btidak\b|\btanpa\b|"
    r"\bkhông\b|\bđừng\b|\bfără\b|\bniciodată\b|\bnélkül\b|\btilos\b|\bsoha\b|\bälä\b|\bilman\b|\bμην\b|\bδεν\b|"
    r"\bχωρίς\b|(?<!\w)و?لا(?!\w)|بدون|(?<!\w)دون(?!\w)|(?<!\w)(?:אל|ללא|בלי)(?!\w)|ห้าม|ไม่|\bunika\w*|"
    r"\bwystrzega\w*|\bundvik\w*|\bundgå\w*|\bvyhýb\w+|\bvyhn\w+|\bизбега\w*|\bуника\w*|\bkerüld?\b|\bvältä\w*|"
    r"\bevită\b|\bhindari\b|\btránh\b|تجنب|\bmaking sure not\b|不要|不得|不能|不可|不许|不用|不使用|不准|不写|不加|"
    r"不带|不含|禁止|严禁|切勿|勿|避免|别|无)"
)
# An amount of so many, with what goes before it; the forms of the predicate are the keys.
BEFORE: Final[tuple[tuple[str, str], ...]] = (
    (
        "<=",
        r"at (?:the )?(?:very )?most|(?:no|not|none|never) (?:more|longer|greater) than|(?:a )?max(?:imum|imal|"
        r"imaal)?\.?(?:\s+(?:of|de|di|is|von|length))?:?|limite?:|m[áa]ximo(?:\s+de)?:?|up to|within|limit\w* (?:it |"
        r"this |them |the \w+ |your \w+ )?(?:to|à|auf|a|op)|capped at|höchstens|nicht (?:mehr|länger) als|bis zu|"
        r"maximal|au (?:maximum|plus)|dépass\w+ pas|excèd\w+ pas|(?:ne |n['’])?\w*\s?pas plus de|jusqu['’]à|un "
        r"maximum de|como m[áa]ximo|como mucho|tout au plus|quando muito|al più|no m[áa]s de|hasta|a lo sumo|un "
        r"m[áa]ximo de|no m[áa]ximo|não mais (?:de|do que|que)|até|al massimo|massimo(?: di)?|non più di|fino a|"
        r"entro|un massimo di|ten hoogste|hooguit|hoogstens|niet (?:meer|langer) dan|не более|максимум|не больше|"
        r"maksymalnie|najwyżej|co najwyżej|nie więcej niż|en fazla|högst|max(?:imalt)?|inte (?:mer|fler) än|højst|"
        r"ikke (?:mere|flere) end|최대|不超过|最多|不多于|至多|不要超过|不得超过|不能超过|控制在|限制在|最長|最大|"
        r"nejvýše?|maximálně|не більше|щонайбільше|en çok|tối đa|không quá|maksimal|paling banyak|tidak lebih dari|"
        r"το πολύ|legfeljebb|enintään|korkeintaan|cel mult|maxim|maks\.?|høyst|لا [تي]زيد(?: \S+){0,2}? (?:على|عن)|"
        r"بحد أقصى|على الأكثر|حداکثر|ज़्यादा से ज़्यादा|अधिकतम|לכל היותר|עד|ไม่เกิน|(?:do|до)(?=\s*[0-9])",
    ),
    (
        "<",
        r"under|shorter than|less than|fewer than|below|unter|weniger als|kürzer als|moins de|menos de|meno di|"
        r"minder dan|onder(?= de| het|\s*[0-9])|poniżej|mniej niż|färre än|under|mindre end|少于|不足|менее|меньше",
    ),
    (
        ">=",
        r"at least|no (?:fewer|less) than|not (?:fewer|less) than|(?:a )?min(?:imum)?\.?(?:\s+(?:of|de|is))?:?|"
        r"mindestens|wenigstens|nicht weniger als|au (?:moins|minimum)|un minimum de|al menos|como m[íi]nimo|"
        r"m[íi]nimo(?:\s+de)?:?|por lo menos|pelo menos|no m[íi]nimo|almeno|minimo(?: di)?|minstens|ten minste|"
        r"не менее|co najmniej|przynajmniej|minst|mindst|en az|최소|至少|不少于|最少|"
        r"nejméně|alespoň|minimálně|не менше|щонайменше|минимум|ít nhất|minimal|setidaknya|paling sedikit|"
        r"τουλάχιστον|legalább|vähintään|cel puțin|على الأقل|ما لا يقل عن|कम से कम|לפחות",
    ),
    (
        ">",
        r"more than|longer than|over|exceed(?:s|ing)?|mehr als|länger als|über|plus (?:longu?e?s? )?(?:de|que)|"
        r"dépass\w+|m[áa]s (?:larg[oa]s? )?(?:de|que)|super\w+(?: l[ao]s| i| le)?|exced\w+(?: l[ao]s| [ao]s)?|"
        r"pasar de|passar d[eao]s?|ultrapass\w+(?: [ao]s)?|mais (?:long[oa]s? )?(?:de|do que|que)|"
        r"più (?:lung\w+ )?(?:di|del)|meer dan|超过|多于|超え",
    ),
    (
        "=",
        r"exactly|precisely|genau|exactement|exactamente|exatamente|esattamente|precies|ровно|dokładnie|exakt|"
        r"præcis|nøjagtig|tam olarak|"
        r"정확히|正好|恰好|ちょうど|必ず|only|just|nur|solo|sólo|seulement|uniquement|apenas|somente|soltanto|只|仅|"
        r"přesně|рівно|tam|딱|ठीक|đúng|chính xác|tepat|persis|ακριβώς|pontosan|täsmälleen|tasan|exact",
    ),
)
AFTER: Final[tuple[tuple[str, str], ...]] = (
    (
        "<=",
        r"or (?:less|fewer|shorter)|max(?:imum|imal|imaal)?\b\.?|at (?:the )?(?:very )?most|limit\b|,? ?tops\b|oder "
        r"weniger|höchstens|ou moins|au (?:plus|maximum)|(?:(?:in total|overall|insgesamt|en tout) )?(?:is|are|ist|"
        r"est|es|é|è|är|er) (?:the|an?|das|die|le|la|el|o|il|den) (?:\w+ )?(?:limit|maximum|max|ceiling|cap|"
        r"obergrenze|grenze|plafond|límite|máximo|limite|massimo|grens|gräns|grænse)|o menos|(?:como )?m[áa]ximo|ou "
        r"menos|no m[áa]ximo|o meno|al massimo|massimo|nicht (?:überschreiten|übersteigen)|(?:を|は)?超え(?:ない|ず|"
        r"ては|てはいけ)|以内|以下|之内|内(?![容部])|まで|이내|이하|까지|(?:를|을)?\s*(?:넘기지|넘지|초과하지)|तक|से "
        r"(?:अधिक|ज़्यादा) (?:नहीं|न)|كحد أقصى|على الأكثر|을 넘",
    ),
    ("<", r"未満"),
    (
        ">=",
        r"or (?:more|longer)|min(?:imum)?\b\.?|at (?:the )?(?:very )?least|oder mehr|mindestens|ou plus|au moins|"
        r"o más|(?:como )?m[íi]nimo|ou mais|no m[íi]nimo|o più|以上|이상",
    ),
    ("=", r"(?:long )?only\b|ちょうど|exactly\b|بالضبط|فقط"),
)
LOOSE: Final = (
    r"(?:\babout|\baround|\bapproximately|\broughly|\bapprox\.?|\bcirca|\bideally|\bpreferably|\btypically|\busually|"
    r"\baim for|~|≈|\betwa|\bca\.?|\bungefähr|\brund|\benviron|\bà peu près|\bunos|\bunas|\baproximadamente|"
    r"\balrededor de|\bcerca d[ei]|\bпримерно|\bокол[ои]|\bokoło|大约|大概|约|およそ|約)\s*(?:of |de |di )?$"
)
# Letter case, by the words that mean it.
CASES: Final = (
    (
        "case is lower",
        Lazy(
            r"\blower[- ]?case\b|\bkleinbuchstaben\b|\bkleingeschrieben\b|\b(?:en )?minuscules?\b|\bminúsculas?\b|"
            r"\bminuscol[oea]\b|\bkleine letters\b|\bmał(?:ymi|e) liter\w+|\bстрочн\w+ букв\w*|\bgemener\b|\bsmå "
            r"bokst[aä]ver|\bmalými písmeny|\bküçük harf\w*|\bмалими літерами|小文字|小写|소문자",
            re.IGNORECASE,
        ),
    ),
    (
        "case is upper",
        Lazy(
            r"\bupper[- ]?case\b|\b(?:all|in) (?:caps|capitals|capital letters)\b|\bgroßbuchstaben\b|"
            r"\b(?:en )?majuscules\b|"
            r"\b(?:en )?mayúsculas\b|\b(?:em )?maiúsculas\b|\b(?:in )?maiuscolo\b|\b(?:in )?hoofdletters\b|\bwielkimi "
            r"literami|\b(?:прописн|заглавн)\w+ букв\w*|\bversaler\b|\bstora bokstäver|\bvelkými písmeny|"
            r"\bbüyük harf\w*|"
            r"\bвеликими літерами|大文字|大写|대문자",
            re.IGNORECASE,
        ),
    ),
)
