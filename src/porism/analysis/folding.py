"""Spellings that count as one: letter case, accents, ligatures, widths, and characters that nobody sees."""

from __future__ import annotations

import re
import unicodedata

_HAN_VARIANTS = """
    両两 緻致 並并 乗乘 亀龟 亜亚 仮假 伝传 來来 価价 個个 們们 値值 倫伦 倹俭 側侧 偽伪 備备 傳传 傾倾 僅仅
    價价 億亿 優优 児儿 內内 兩两 円圆 冪幂 凍冻 処处 別别 則则 剣剑 剤剂 剰剩 劃划 劇剧 労劳 効效 動动
    務务 勝胜 勞劳 勢势 勧劝 勲勋 勻匀 區区 協协 単单 卻却 厭厌 厳严 參参 収收 叢丛 吳吴 問问 啟启 單单
    営营 嘗尝 嚴严 団团 囲围 図图 國国 圍围 圏圈 園园 圓圆 圖图 團团 圧压 執执 堅坚 報报 場场 塁垒 塊块
    増增 壊坏 壓压 壞坏 壱壹 売卖 変变 夠够 夾夹 奧奥 姫姬 婦妇 媽妈 嬢娘 學学 実实 寛宽 實实 寧宁 審审
    寫写 対对 専专 將将 專专 尋寻 對对 導导 屆届 層层 屬属 岡冈 島岛 峽峡 嵐岚 巖岩 巣巢 巻卷 帯带 帳帐
    帶带 幫帮 幾几 庁厅 広广 庫库 廃废 廣广 廳厅 弁辩 弐贰 張张 強强 弾弹 彈弹 彎弯 彙汇 後后 徑径 従从
    從从 復复 徳德 徴征 応应 恆恒 恵惠 悅悦 悩恼 悪恶 愛爱 態态 憶忆 應应 懐怀 懷怀 戦战 戰战 戲戏 戶户
    戻戾 払拂 抜拔 択择 拋抛 拝拜 拡扩 挙举 捜搜 捨舍 掃扫 換换 損损 搖摇 摂摄 摺折 撿捡 擇择 擊击 據据
    擬拟 擴扩 擾扰 攝摄 敗败 敘叙 敵敌 數数 斂敛 斉齐 斎斋 斷断 於于 時时 晉晋 晩晚 暁晓 暦历 暫暂 曆历
    書书 會会 東东 栄荣 桜樱 條条 検检 楊杨 極极 楽乐 榮荣 構构 槓杠 様样 樂乐 標标 樞枢 樣样 権权 樹树
    橋桥 機机 橢椭 橫横 檢检 欄栏 權权 歐欧 歩步 歲岁 歳岁 歴历 歷历 歸归 殘残 毎每 気气 決决 沒没 沖冲
    沢泽 況况 浄净 涙泪 淨净 淺浅 済济 渉涉 渋涩 減减 渦涡 測测 湊凑 湯汤 満满 準准 溫温 滅灭 滝泷 滿满
    漢汉 漸渐 潛潜 濃浓 濟济 濾滤 瀏浏 瀬濑 灣湾 為为 無无 焼烧 煙烟 熱热 燈灯 爭争 爲为 牆墙 牽牵 犠牺
    狀状 狹狭 獣兽 獨独 現现 瑪玛 環环 產产 畢毕 畫画 異异 畳叠 當当 疊叠 療疗 癒愈 発发 發发 盡尽 監监
    盤盘 県县 眾众 砕碎 碁棋 確确 碼码 祕秘 禪禅 禮礼 種种 稱称 稲稻 穀谷 穂穗 積积 穏稳 穩稳 窓窗 窮穷
    竜龙 競竞 筆笔 節节 範范 築筑 簡简 簽签 粋粹 粛肃 粧妆 糸丝 糾纠 約约 紋纹 納纳 純纯 紙纸 級级 細细
    紹绍 終终 組组 経经 結结 絕绝 絡络 給给 統统 絵绘 經经 継继 続续 綜综 綫线 維维 網网 緊紧 総总 緑绿
    緒绪 線线 緣缘 編编 緩缓 緯纬 練练 縁缘 縄绳 縣县 縦纵 縮缩 縱纵 總总 繊纤 織织 繞绕 繪绘 繫系 繰缲
    繼继 續续 纖纤 罷罢 羅罗 羣群 聡聪 聯联 聲声 聴听 職职 脳脑 腦脑 臓脏 與与 興兴 舉举 舊旧 芸艺 荘庄
    華华 萬万 葉叶 著着 蓋盖 蔵藏 薬药 藝艺 藥药 蘭兰 處处 虛虚 號号 虧亏 蛍萤 蟲虫 衆众 術术 衛卫 裏里
    補补 裝装 裡里 製制 複复 襲袭 規规 視视 覚觉 覧览 親亲 観观 覺觉 觀观 訂订 計计 訊讯 訓训 記记 設设
    許许 訳译 証证 評评 詞词 詢询 試试 該该 詳详 認认 語语 誤误 說说 説说 読读 課课 調调 請请 論论 諧谐
    諸诸 謂谓 謎谜 講讲 謝谢 謬谬 證证 識识 譜谱 譯译 議议 譲让 護护 讀读 變变 豊丰 豐丰 貝贝 負负 財财
    貢贡 貫贯 責责 貴贵 買买 費费 資资 賓宾 賛赞 賦赋 質质 賴赖 購购 賽赛 贈赠 趨趋 跡迹 踐践 躍跃 軌轨
    軍军 軟软 転转 軽轻 較较 載载 輔辅 輕轻 輛辆 輪轮 輯辑 輸输 轉转 辭辞 辯辩 農农 辺边 逓递 連连 週周
    進进 遅迟 運运 過过 達达 違违 遙遥 遞递 遠远 適适 遷迁 選选 遺遗 還还 邊边 邏逻 郵邮 郷乡 鄭郑 鄰邻
    酔醉 醫医 醸酿 釈释 釋释 釐厘 針针 鈍钝 鉄铁 鉤钩 鉱矿 銭钱 銳锐 鋪铺 鋭锐 鋼钢 錄录 錐锥 錢钱 錨锚
    錬炼 錯错 録录 鍵键 鎖锁 鎮镇 鏈链 鏡镜 鐘钟 長长 門门 閃闪 閉闭 開开 間间 関关 閣阁 閱阅 閾阈 闊阔
    闘斗 關关 陣阵 陥陷 陰阴 陳陈 陸陆 険险 陽阳 隊队 階阶 際际 隠隐 隨随 險险 隱隐 隻只 雑杂 雖虽 雙双
    雜杂 離离 難难 電电 霊灵 霧雾 靈灵 靜静 韋韦 韓韩 響响 頁页 頂顶 項项 順顺 預预 頓顿 領领 頭头 頻频
    頼赖 顆颗 題题 額额 顔颜 顕显 願愿 類类 顧顾 顯显 風风 飛飞 飲饮 餅饼 養养 餘余 馬马 駁驳 駅驿 駐驻
    騒骚 験验 驅驱 驗验 驟骤 髄髓 體体 髮发 鬆松 鬥斗 魯鲁 鮮鲜 鶏鸡 麗丽 黃黄 黒黑 黙默 點点 齊齐 齒齿
    齡龄 齢龄 龍龙 龐庞
"""

SIMPLIFIED = {ord(pair[0]): pair[1] for pair in _HAN_VARIANTS.split()}
"""Code point of a traditional or Japanese form of a Chinese character → its simplified form, for :meth:`str.translate`.
"""

INVISIBLE = "\u00ad\u034f\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff"
"""Characters inside words that show nothing, as a class of a regular expression: soft hyphens, joiners,
variants of glyphs."""

MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0903\u093a-\u093c\u093e-\u094f"
    "\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71"
    "\u0a81-\u0a83\u0abc\u0abe-\u0acd\u0b01-\u0b03\u0b3c\u0b3e-\u0b57\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04"
    "\u0c3e-\u0c56\u0c81-\u0c83\u0cbc\u0cbe-\u0cd6\u0d00-\u0d03\u0d3b\u0d3c\u0d3e-\u0d4d\u0d57\u0dca-\u0ddf"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f"
    "\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0fbc\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d"
    "\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u135d-\u135f\u17b4-\u17d3\u17dd\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20f0\u3099\u309a\ufe20-\ufe2f"
)
"""Accents, vowel signs and other marks on letters, as a class of a regular expression."""

_SPELLING_CLASSES = frozenset({7, 8, 9, 84, 91, 103, 107, 118, 122, 129, 130, 132})
"""Combining classes of marks that are letters of their script: nuktas, voicing of kana, viramas, vowels of Thai."""

_LETTERS = str.maketrans({
    "œ": "oe", "æ": "ae", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ı": "i", "þ": "th", "ħ": "h", "ŧ": "t", "ŋ": "n",
    "ŀ": "l", "ƶ": "z", "ɨ": "i", "ʼ": None, "ـ": None,
})
"""Letters that Unicode does not take apart, as they are written without them."""

APOSTROPHE = "['\u2019](?<=[\u0410-\u044f\u0456\u0406\u0491\u0490].)(?=[яюєїЯЮЄЇ])"
"""A Ukrainian apostrophe, as a regular expression: between a consonant and a soft vowel it is a letter, \u02bc."""

BARE_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
"""German letters as they are written without them."""

_VARIANTS = {**_LETTERS, **SIMPLIFIED}
_UNSEEN = re.compile(f"[{INVISIBLE}]")
_APOSTROPHE = re.compile(APOSTROPHE)


def visible(text: str) -> str:
    """The text without characters that show nothing, letters and accents composed."""
    return unicodedata.normalize("NFC", _UNSEEN.sub("", text))


def spelling(word: str) -> str:
    """A word as a dictionary has it: lower case, accents composed, no compatibility forms or invisible characters."""
    return unicodedata.normalize("NFKC", _UNSEEN.sub("", word)).lower()


def fold(word: str) -> str:
    """One spelling of all that count as one: ``Möbius`` and ``mobius``, ``œuvre`` and ``oeuvre``, ``緊`` and ``紧``.

    Lower case, compatibility forms, no accents, no invisible characters, simplified Chinese characters.
    """
    if word.isascii():
        return word.lower()
    if "'" in word or "\u2019" in word:
        word = _APOSTROPHE.sub("", word)
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", _UNSEEN.sub("", word)).casefold())
    accents = "".join(character for character in set(decomposed) if _is_accent(character))
    bare = decomposed.translate(str.maketrans("", "", accents)) if accents else decomposed
    return unicodedata.normalize("NFC", bare.translate(_VARIANTS))


def _is_accent(character: str) -> bool:
    combining = unicodedata.combining(character)
    return combining > 0 and combining not in _SPELLING_CLASSES
