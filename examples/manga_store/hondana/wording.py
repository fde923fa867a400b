"""How Shiori says things, in English and in Japanese: one place for each sentence."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from .reading import Language
from .shop import Row

__all__ = ["PHRASES", "Voice"]

GENRE_JA = {
    "horror": "ホラー",
    "adventure": "冒険",
    "romance": "恋愛",
    "mystery": "ミステリー",
    "slice of life": "日常",
    "sports": "スポーツ",
    "fantasy": "ファンタジー",
    "science fiction": "SF",
}
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]

PHRASES: dict[Language, dict[str, str]] = {
    "en": {
        "list": "Here are three {what} manga you might enjoy:",
        "list_like": "If you like {title}, you might enjoy these {what} manga:",
        "list_author": "Here are manga by {author} that you might enjoy:",
        "list_mixed": "Here are three manga from different genres that you might enjoy:",
        "list_close": "Would you like to know more about one of them?",
        "none": "I am sorry, I have no manga in stock that fits this wish. Shall I look in another genre?",
        "product_close": "Is there anything else you would like to know about it?",
        "which": "Gladly! Which manga do you mean? Please tell me its title.",
        "promotions": "These offers are running now:",
        "promotion_close": "Shall I help you find something for it?",
        "no_promotion": "There is no offer for {what} manga at the moment.",
        "ask_order": "Gladly! What is your order number? It looks like H-2041.",
        "no_order": "I am sorry, I cannot find the order {number}. Could you please check the number?",
        "order_close": "Is there anything else I can do for you?",
        "policy_close": "Is there anything else I can help you with?",
        "unknown": "I am sorry, I do not know that. Shall I ask a colleague for you?",
        "shipped": "Your order {number} with {items} was shipped on {shipped} with {carrier}. "
        "It should arrive on {expected}. The tracking number is {tracking}.",
        "delivered": "Your order {number} with {items} was delivered on {delivered} by {carrier}.",
        "preparing": "Your order {number} with {items} is being prepared. It should arrive on {expected}.",
        "waiting for payment": "Your order {number} with {items} is waiting for your payment of {total}.",
        "cancelled": "Your order {number} with {items} was cancelled, so nothing will be charged.",
        "delayed": "I am sorry, your order {number} with {items} is delayed. It should now arrive on {expected}.",
        "returned": "Your order {number} with {items} was returned to us.",
        "return_yes": "Yes, you can return your order {number} with {items}. It was delivered on {delivered}, "
        "so please send it back by {until}.",
        "return_no": "I am sorry, your order {number} with {items} can no longer be returned. "
        "It was delivered on {delivered}, so the return window ended on {until}.",
        "return_early": "Thank you for your message. Your order {number} with {items} has not been delivered yet, "
        "so there is nothing to send back.",
        "return_done": "Thank you for your message. Your order {number} with {items} was returned to us already.",
        "undelivered": "Your order {number} with {items} has not been delivered yet.",
        "return_close": "Shall I send you the return label?",
        "hello": "{word}! I am Shiori, the assistant of the manga shop Hondana. How can I help you today?",
        "thanks": "You are very welcome! Enjoy your reading.",
        "who": "I am Shiori, the digital assistant of the manga shop Hondana. I can recommend manga, answer questions "
        "about our titles and help with your orders. How can I help you?",
        "mood": "I am doing well, thank you for asking! What would you like to read today?",
        "favourite": "I enjoy helping readers find their next favourite manga! Which stories do you like?",
        "joke": "Here is a joke for you: why did the manga go to the doctor? It had a bad spine! "
        "Shall I find you a funny manga?",
        "weather": "I am afraid I cannot tell you about {word}, because I only know manga. "
        "Shall I find you a good story?",
        "bye": "Goodbye, and happy reading! I hope to see you again soon.",
        "sorry": "I am sorry to hear that you are {word} today. Shall I suggest a calm manga?",
    },
    "ja": {
        "list": "{what}漫画では、こちらの3作品がおすすめです。",
        "list_like": "{title}がお好きでしたら、こちらの{what}漫画がおすすめです。",
        "list_author": "{author}の作品では、こちらがおすすめです。",
        "list_mixed": "いろいろなジャンルから、こちらの3作品がおすすめです。",
        "list_close": "気になる作品はございますか。",
        "none": "申し訳ございません。ご希望に合う在庫がございません。ほかのジャンルをお探ししましょうか。",
        "product_close": "ほかに知りたいことはございますか。",
        "which": "かしこまりました。どの作品でしょうか。作品名を教えてください。",
        "promotions": "ただいま次のキャンペーンを実施しています。",
        "promotion_close": "対象の作品をお探ししましょうか。",
        "no_promotion": "ただいま{what}漫画のキャンペーンはございません。",
        "ask_order": "かしこまりました。注文番号を教えてください。番号はH-2041のような形です。",
        "no_order": "申し訳ございません。ご注文{number}が見つかりません。番号をご確認ください。",
        "order_close": "ほかにお手伝いできることはございますか。",
        "policy_close": "ほかにご質問はございますか。",
        "unknown": "申し訳ございません。その件は分かりかねます。担当者に確認いたしましょうか。",
        "shipped": "ご注文{number}({items})は{shipped}に{carrier}で発送されました。お届け予定日は{expected}です。"
        "追跡番号は{tracking}です。",
        "delivered": "ご注文{number}({items})は{delivered}に{carrier}でお届け済みです。",
        "preparing": "ご注文{number}({items})は発送の準備中です。お届け予定日は{expected}です。",
        "waiting for payment": "ご注文{number}({items})は{total}のお支払いをお待ちしています。",
        "cancelled": "ご注文{number}({items})はキャンセルされましたので、代金は請求されません。",
        "delayed": "申し訳ございません。ご注文{number}({items})は遅れています。お届け予定日は{expected}です。",
        "returned": "ご注文{number}({items})は返品済みです。",
        "return_yes": "はい、ご注文{number}({items})は返品できます。"
        "お届け日は{delivered}ですので、{until}までにご返送ください。",
        "return_no": "申し訳ございません。ご注文{number}({items})は返品できません。"
        "お届け日は{delivered}で、返品期限は{until}まででした。",
        "return_early": "ご連絡ありがとうございます。ご注文{number}({items})はまだお届けしていませんので、"
        "返送していただくものはございません。",
        "return_done": "ご連絡ありがとうございます。ご注文{number}({items})はすでに返品済みです。",
        "undelivered": "ご注文{number}({items})はまだお届けしていません。",
        "return_close": "返送用のラベルをお送りしましょうか。",
        "hello": "{word}。漫画専門店「本棚」のアシスタント、栞です。本日はどのような漫画をお探しですか。",
        "thanks": "どういたしまして。どうぞ読書をお楽しみください。",
        "who": "漫画専門店「本棚」のデジタルアシスタント、栞です。"
        "漫画のおすすめ、作品のご案内、ご注文の確認をお手伝いします。",
        "mood": "お気遣いありがとうございます。おかげさまで元気です。今日はどんな漫画を読みたいですか。",
        "favourite": "皆さまのお気に入りの漫画を一緒に探すのが好きです。どんな物語がお好きですか。",
        "joke": "漫画がお医者さんに行きました。背が痛かったそうです。笑える漫画をお探ししましょうか。",
        "weather": "申し訳ございません。{word}のことは分かりません。代わりに面白い漫画をお探ししましょうか。",
        "bye": "ご利用ありがとうございました。またのお越しをお待ちしています。",
        "sorry": "お疲れさまです。ほのぼのした漫画はいかがでしょうか。お探ししましょうか。",
    },
}


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """The assistant's way of speaking in one language.

    ``romanised_only`` is a fault: titles lose their original and English names, and nothing friendly is said.
    """

    language: Language
    romanised_only: bool = False

    def say(self, key: str, **values: str) -> str:
        """One of the phrases, filled."""
        return PHRASES[self.language][key].format(**values)

    def close(self, key: str) -> str:
        """The friendly last sentence."""
        return "" if self.romanised_only else self.say(key)

    def title(self, product: Row) -> str:
        """Original, romanised and English title: readers know a work by any of them."""
        if self.romanised_only:
            return str(product["title_romaji"])
        if self.language == "ja":
            return f"『{product['title_ja']}』({product['title_romaji']} / {product['title_en']})"
        return f"{product['title_en']} ({product['title_ja']} / {product['title_romaji']})"

    def genre(self, genre: str) -> str:
        """The genre's name."""
        return GENRE_JA[genre] if self.language == "ja" else genre

    def author(self, product: Row) -> str:
        """The author's name."""
        return (
            f"{product['author_ja']}さん" if self.language == "ja" else f"{product['author']} ({product['author_ja']})"
        )

    def money(self, product: Row) -> str:
        """The price in both currencies."""
        if self.language == "ja":
            return f"{product['price_jpy']:,}円({product['price_usd']:.2f}ドル)"
        return f"¥{product['price_jpy']:,} (${product['price_usd']:.2f})"

    def yen(self, amount: int) -> str:
        """An amount in yen."""
        return f"{amount:,}円" if self.language == "ja" else f"¥{amount:,}"

    def day(self, written: str | date) -> str:
        """A date."""
        day = date.fromisoformat(written) if isinstance(written, str) else written
        if self.language == "ja":
            return f"{day.year}年{day.month}月{day.day}日"
        return f"{day.day} {MONTHS[day.month - 1]} {day.year}"

    def copies(self, count: int, product: Row) -> str:
        """So many copies of a product."""
        if self.language == "ja":
            return f"{self.title(product)} {count}冊"
        return f"{count} {'copy' if count == 1 else 'copies'} of {self.title(product)}"

    def aspect(self, name: str, product: Row, subject: str) -> str:
        """One sentence about one side of a product; ``subject`` is its title, or a pronoun after the first."""
        said = (self._aspect_ja if self.language == "ja" else self._aspect_en)(name, product, subject)
        if self.romanised_only:  # with the names the verb is gone too: a label instead of a sentence
            said = said.replace(" are available in English", " available in English format")
        return said

    def _aspect_en(self, name: str, product: Row, it: str) -> str:
        volumes, english = product["volumes"], product["english_volumes"]
        done = product["status"] == "complete"
        said = {
            "price": f"{it} costs {self.money(product)} per volume.",
            "author": f"{it} is by {self.author(product)}.",
            "volumes": f"{it} has {volumes} volumes and is complete."
            if done
            else f"{it} has {volumes} volumes so far and is still running.",
            "english": f"Volumes 1 to {english} of {it if it != 'It' else 'it'} are available in English."
            if english > 1
            else f"Volume 1 of {it if it != 'It' else 'it'} is available in English.",
            "stock": f"{it} is in stock, with {product['stock']} copies ready to ship."
            if product["stock"]
            else f"{it} is out of stock at the moment.",
            "year": f"{it} started in {product['year']}.",
            "plot": f"{product['blurb_en']}.",
            "what": f"{it} is {_article(product['genre'])} {product['genre']} manga by {self.author(product)}.",
        }
        said["status"] = said["volumes"]
        return said[name]

    def _aspect_ja(self, name: str, product: Row, it: str) -> str:
        topic = f"{it}は" if it else ""
        volumes, english = product["volumes"], product["english_volumes"]
        done = product["status"] == "complete"
        said = {
            "price": f"{it + 'の' if it else ''}価格は{self.money(product)}です。",
            "author": f"{it + 'の' if it else ''}作者は{self.author(product)}です。",
            "volumes": f"{topic}全{volumes}巻で完結しています。"
            if done
            else f"{topic}既刊{volumes}巻で、現在も連載中です。",
            "english": f"{it + 'の' if it else ''}英語版は{english}巻まであります。"
            if english > 1
            else f"{it + 'の' if it else ''}英語版は1巻のみあります。",
            "stock": f"{topic}在庫が{product['stock']}冊あります。"
            if product["stock"]
            else f"{topic}ただいま在庫切れです。",
            "year": f"{topic}{product['year']}年に連載が始まりました。",
            "plot": f"{product['blurb_ja']}物語です。"
            if not product["blurb_ja"].endswith("物語")
            else f"{product['blurb_ja']}です。",
            "what": f"{topic}{self.author(product)}の{self.genre(product['genre'])}漫画です。",
        }
        said["status"] = said["volumes"]
        return said[name]

    def record(self, product: Row) -> str:
        """The whole record of a product as the passage that answers rest on."""
        full = Voice(language=self.language)
        names = ["what", "price", "volumes", "english", "year", "stock", "plot"]
        first = full.title(product)
        rest = "It" if self.language == "en" else ""
        said = [full.aspect(name, product, first if name in ("what", "stock") else rest) for name in names]
        return (" " if self.language == "en" else "").join(said)
