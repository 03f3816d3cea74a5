"""Words that carry no meaning of their own, by language: dropped from the channels of words, and what languages are
told apart by.

Words are spelled as they are in texts, accents included. Words of Chinese, Japanese, Korean and Thai are single
characters, or the pairs of characters that these languages are indexed by.
"""

from __future__ import annotations

from functools import lru_cache

from porism.analysis.folding import BARE_LETTERS, fold

_WORDS = {
    "english": """
    a an the this that these those such same other another each every all any both either neither none some few many
    much more most less least several own
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one ones who whom whose which what
    am is are was were be been being do does did doing done have has had having will would shall should can could may
    might must ought let lets
    and or but nor so yet if then else because as while though although whether unless until since than
    of in on at by to from for with without within into onto upon over under between among through during before after
    above below against about across along around off out up down per via
    not no yes too very just only also even still already ever never again further once here there where when why how
    however thus hence therefore etc ie eg s t d ll m re ve don didn doesn isn aren wasn weren won wouldn shouldn couldn
    """,
    "french": """
    le la les l un une des du de d au aux ce cet cette ces c se s si sa son ses leur leurs mon ma mes ton ta
    tes notre nos votre vos je j tu il elle on nous vous ils elles me m te t lui eux y en qui que qu quoi dont
    où quel quelle quels quelles lequel laquelle lesquels lesquelles et ou mais donc or ni car ne n pas plus
    moins très aussi ainsi alors comme lorsque quand puisque parce afin à dans par pour sur sous avec sans
    entre vers chez depuis pendant avant après contre selon jusque jusqu est sont était étaient être été soit
    soient sera seront serait ont avait avoir ayant étant ait aient fait faire peut peuvent doit doivent tout
    toute tous toutes même mêmes autre autres chaque quelque quelques plusieurs tel telle tels telles aucun
    aucune celui celle ceux celles cela ceci là ici encore déjà toujours jamais seulement notamment cependant
    toutefois aujourd hui quelconque
    """,
    "german": """
    der die das den dem des ein eine einer eines einem einen kein keine keiner keines keinem keinen dieser
    diese dieses diesem diesen jeder jede jedes jedem jeden jener jene jenes welcher welche welches welchem
    welchen aller alle alles allem allen beide beiden ich du er sie es wir ihr mich dich sich uns euch ihm ihn
    ihnen mein dein sein seine seiner seinem seinen seines unser ihre ihrer ihrem ihren ihres und oder aber
    denn sondern doch sowie wenn falls ob dass daß weil da als wie während obwohl sodass damit indem nachdem
    bevor in im an am auf aus bei beim mit nach von vom zu zum zur über unter vor für durch um gegen ohne
    zwischen seit bis bezüglich ist sind war waren sei seien bin bist wird werden wurde wurden worden geworden
    hat haben hatte hatten habe kann können könnte muss müssen soll sollen darf dürfen lässt gibt gilt gelten
    heißt heißen viele vielen nicht nur auch noch schon sehr mehr so dann dort hier nun also etwa immer nie
    wieder genau man etwas nichts deren dessen denen dabei daher dazu davon darum daraus hierbei somit
    folglich jedoch
    """,
    "spanish": """
    el la los las un una unos unas lo al del de este esta estos estas ese esa esos esas aquel aquella aquellos
    su sus mi mis tu tus nuestro nuestra nuestros yo tú él ella nosotros ellos ellas me te se nos le les que
    quien quienes cual cuales cuyo cuya cuyos cuyas donde cuando como cuanto y e o u pero sino ni porque pues
    si aunque mientras entonces luego así también tampoco además a ante bajo con contra desde durante en entre
    hacia hasta para por según sin sobre tras mediante es son era eran ser sea sean será serán fue fueron sido
    está están estar estaba hay haya ha han haber había tiene tienen tener puede pueden debe deben hace no sí
    más menos muy ya solo sólo todo toda todos todas otro otra otros otras cada algún alguna algunos algunas
    ningún ninguna mismo misma mismos mismas tal tales ambos cualquier cualquiera dicho dicha esto eso ello
    """,
    "italian": """
    il lo la i gli le l un uno una di del dello della dei degli delle dell a al allo alla ai agli alle all da
    dal dallo dalla dai dagli dalle dall in nel nello nella nei negli nelle nell su sul sullo sulla sui sugli
    sulle sull con per tra fra questo questa questi queste quest quello quella quelli quelle quel io tu lui
    lei noi voi loro mi ti si ci vi ne che chi cui quale quali dove quando come quanto e ed o od ma però se
    perché poiché affinché mentre quindi dunque cioè anche inoltre allora così è sono era erano essere sia
    siano sarà saranno stato stata stati state ha hanno avere aveva può possono deve devono fa dato data non
    più meno molto già solo ogni tutto tutta tutti tutte altro altra altri altre alcun alcuno alcuna alcuni
    alcune nessun nessuno nessuna stesso stessa stessi stesse tale tali suo sua suoi sue ciò ciascun ciascuno
    ciascuna entrambi
    """,
    "portuguese": """
    o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às por pelo pela pelos pelas para com
    sem sob sobre entre até desde contra após este esta estes estas esse essa esses essas aquele aquela isto
    isso seu sua seus suas meu minha nosso nossa eu tu ele ela nós eles elas me te se lhe lhes que quem qual
    quais cujo cuja cujos cujas onde quando como quanto e ou mas porém nem porque pois embora enquanto então
    logo assim também além é são era eram ser seja sejam será serão foi foram sido está estão estar há tem têm
    ter tinha pode podem deve devem dado dada dados dadas faz não mais menos muito já só apenas todo toda
    todos todas outro outra outros outras cada algum alguma alguns algumas nenhum nenhuma mesmo mesma mesmos
    mesmas tal tais ambos qualquer quaisquer num numa dum duma
    """,
    "catalan": """
    el la els les l un una uns unes de d del dels al als a en amb per pel pels sense sobre sota entre fins des
    cap contra segons aquest aquesta aquests aquestes aquell aquella això allò seu seva seus seves jo tu ell
    ella nosaltres ells elles em et es se ens us li ho hi ne que qui qual quals on quan com quant i o però
    sinó ni perquè doncs si encara mentre llavors així també és són era eren ser sigui siguin serà estar està
    ha han haver té tenen tenir pot poden cal fa no més menys molt ja només tot tota tots totes altre altra
    altres cada algun alguna alguns algunes mateix mateixa tal tals ambdós qualsevol
    """,
    "romanian": """
    un o unei unui niște al a ai ale lui cel cea cei cele acest această acești aceste acel acea acei acele eu
    tu el ea noi voi ei ele se își îi îl le ne mă te care cui ce cine unde când cum cât și sau dar iar însă
    ori nici dacă deoarece fiindcă pentru deci atunci astfel de la în din pe cu fără prin despre sub peste
    între până către spre după înainte contra este sunt era erau fi fie fiind va vor fost are au avea avem
    poate pot trebuie nu mai foarte doar numai tot toate toți toată orice oricare alt altă alți alte fiecare
    unele unii același aceeași așa ca că să încât
    """,
    "dutch": """
    de het een der den des dit dat deze die elk elke ieder iedere geen welk welke alle beide enkele sommige ik
    jij je hij zij ze wij we jullie u mij hem haar hen hun zijn mijn onze ons zich men er wie wat waar wanneer
    hoe en of maar want noch dus als indien omdat terwijl zodat opdat hoewel dan toen in op aan van voor met
    bij naar uit over onder tot door om tegen tussen zonder binnen volgens sinds na te ten ter is was waren
    ben bent wordt worden werd werden geworden heeft hebben had kan kunnen moet moeten zal zullen zou laat
    niet wel ook nog al zeer meer zo hier daar nu reeds altijd nooit precies slechts dezelfde hetzelfde ander
    andere anders waarvan waarbij hiervan daarom
    """,
    "swedish": """
    en ett den det de denna detta dessa någon något några ingen inget inga varje alla allt båda vilken vilket
    vilka jag du han hon vi ni dem mig dig sig oss er honom henne min din sin sitt sina vår deras dess hans
    hennes som vem vad där när hur och eller men för ty om att eftersom medan så samt både i på av till från
    med vid över under mellan genom mot utan inom hos efter före är var vara varit blir bli blev har hade ha
    kan kunna måste skall ska skulle låt inte icke ej även också redan bara endast mycket mer mest då här nu
    alltid aldrig samma annan annat andra sådan sådana
    """,
    "danish": """
    en et den det de denne dette disse nogen noget nogle ingen intet hver hvert alle alt begge hvilken hvilket
    hvilke jeg du han hun vi dem mig dig sig os jer ham hende min din sin sit sine vores deres dens dets hans
    hendes som der hvem hvad hvor når hvordan og eller men for thi om at fordi mens så samt både hvis i på af
    til fra med ved over under mellem gennem mod uden inden hos efter før er var være været bliver blive blev
    har havde have kan kunne må skal skulle lad ikke også allerede kun blot meget mere mest da her nu altid
    aldrig samme anden andet andre sådan sådanne
    """,
    "norwegian": """
    en et ei den det de denne dette disse noen noe ingen intet hver hvert alle alt begge hvilken hvilket
    hvilke jeg du han hun vi dem meg deg seg oss dere ham henne min din sin sitt sine vår deres dens dets hans
    hennes som der hvem hva hvor når hvordan og eller men for om at fordi mens så samt både hvis i på av til
    fra med ved over under mellom gjennom mot uten innen hos etter før er var være vært blir bli ble har hadde
    ha kan kunne må skal skulle la ikke også allerede bare kun mye mer mest da her nå alltid aldri samme annen
    annet andre slik slike
    """,
    "finnish": """
    ja tai sekä mutta vaan eli niin kuin että jos kun koska vaikka siis joten on ovat oli olivat ole olla
    olkoon olkoot olisi ei eivät en voi voidaan voivat tulee täytyy saadaan se ne tämä nämä tuo nuo joka jotka
    jonka joiden jota joita jossa joissa jolla jolle siitä sen niiden sitä niitä siinä sille tämän näiden tätä
    hän he minä sinä me te mikä mitkä minkä mitä kuka missä jokin jokainen jokaiselle jokaisen kaikki kaikkien
    kaikille myös vain hyvin enemmän sama saman toinen ilman kanssa välillä jälkeen ennen yli alle
    """,
    "hungarian": """
    a az egy ez azok ezek ezt azt ennek annak ebben abban erre arra ezért azért és vagy de hanem sem ha akkor
    mert mivel hogy mint míg tehát így illetve valamint van vannak volt voltak lesz lesznek legyen legyenek
    nincs nem ne kell lehet én te ő mi ti ők aki amely amelyek amelynek amelyet ahol amikor hogyan mely melyek
    minden mindegyik valamely valamennyi csak is már még nagyon több ugyanaz másik között alatt felett után
    előtt szerint nélkül által
    """,
    "polish": """
    i oraz lub albo ale lecz ani a że żeby aby gdy jeśli jeżeli ponieważ więc zatem to wtedy czyli bo w we z
    ze na do od dla o po przy przez nad pod przed między bez u ku za jest są był była było były być będzie
    będą niech ma mają mieć może mogą można trzeba ja ty on ona ono my wy oni one się go jej jego ich im mu
    nas nam ten ta te tego tej tych temu tym tę tą ów który która które którego której których którym kto co
    gdzie kiedy jak nie tylko już także też bardzo więcej każdy każda każde każdego każdej wszystkie
    wszystkich pewien pewna pewne taki taka takie takich inny inna inne sam tak
    """,
    "czech": """
    a i nebo ale ani či že aby když jestliže pokud protože neboť tedy pak tj však v ve z ze na do od pro o po
    při přes nad pod před mezi bez u k ke s se za je jsou byl byla bylo byly být bude budou nechť má mají mít
    může mohou lze já ty on ona ono my vy oni si ho jej její jeho jejich jim mu nás ten ta to ti toho té těch
    tomu tom tím tuto tento tato toto který která které kterého kteří kterých kterým kdo co kde kdy jak ne jen
    pouze již také velmi více každý každá každé každého každou všechny všech některý některé takový taková
    takové jiný sám tak právě
    """,
    "slovak": """
    a i alebo ale ani či že aby keď ak pretože lebo teda potom však v vo z zo na do od pre o po pri cez nad
    pod pred medzi bez u k ku s so sa za je sú bol bola bolo boli byť bude budú nech má majú mať môže možno ja
    ty on ona ono my vy oni si ho jej jeho ich im mu nás ten tá to tí tie toho tej tých tomu tom tým túto
    tento táto toto ktorý ktorá ktoré ktorého ktorých ktorým kto čo kde kedy ako nie len iba už tiež veľmi
    viac každý každá každé každého každú všetky všetkých niektorý taký taká také iný sám tak práve
    """,
    "croatian": """
    i ili ali a te ni niti da ako kada jer dakle tada kako dok u s sa na do od iz za o po pri kroz nad pod
    prema između bez k ka je su bio bila bilo bili biti bude budu neka ima imaju može mogu nije nisu smo ste
    sam ja ti on ona ono mi vi oni se ga mu joj ih im ovaj ova ovo taj ta to tog tih tom tim toga koji koja
    koje kojeg kojih kojim tko što gdje ne samo već također vrlo više svaki svaka svako svakog svi sve svih
    neki neko takav takva takvo drugi isti
    """,
    "turkish": """
    ve veya ya da de ile ama fakat ancak ise eğer çünkü ki olarak olan olup olsun olur olduğu olduğunu olmak
    olması oldu değil değildir dir bir bu şu o bunlar şunlar onlar bunun onun her herhangi bazı bütün tüm hiç
    kendi ben sen biz siz için gibi kadar göre üzere sonra önce ayrıca yani böyle şöyle öyle nasıl ne neden
    nerede hangi vardır var yok çok daha en sadece yalnız yalnızca aynı diğer arasında üzerinde içinde
    tarafından denir
    """,
    "indonesian": """
    yang dan atau tetapi namun jika maka apabila karena sehingga bahwa agar ketika sedangkan serta di ke dari
    pada untuk dengan oleh dalam antara tanpa terhadap sebagai tentang hingga adalah ialah merupakan ada tidak
    bukan dapat bisa harus akan telah sudah ini itu tersebut suatu sebuah setiap semua beberapa para ia dia
    kita kami mereka nya juga hanya saja lebih sangat sama lain misalkan misal yaitu
    """,
    "vietnamese": """
    và hoặc hay nhưng nếu thì vì nên mà rằng khi để do của trong trên dưới với từ đến cho bởi tại theo giữa là
    có được bị phải cũng chỉ đã sẽ đang một các những mọi mỗi này đó kia ấy nào gì ai đâu sao như ta tôi chúng
    nó họ rất hơn nhất cùng khác
    """,
    "russian": """
    и или но а да же ли бы то что чтобы если когда так как потому поэтому тогда хотя пока либо также в во на с
    со к ко от до из у о об по за для при над под перед между без через про около после относительно есть был
    была было были быть будет будут является являются имеет имеют может могут пусть я ты он она оно мы вы они
    его её ее их ему ей им ним ними него неё нее них нас нам вас себя свой своей своего этот эта это эти этого
    этой этих этому этом этим этими тот та те того той тех тому том тем теми который которая которое которые
    которого которой которых которому котором которым которыми кто где куда какой какая какие каждый каждая
    каждое каждого каждой любой любая любого любое все всё всех весь вся всего некоторый некоторая некоторое
    некоторого такой такая такое такие таких не ни нет только много мало уже ещё еще очень более менее самый
    один одна одно тоже здесь там всегда лишь причём причем
    """,
    "ukrainian": """
    і й та або але а же чи би б то що щоб якщо коли так як тому тоді хоча поки в у на з із зі до від для при
    над під перед між без через про після відносно по за о об є був була було були бути буде будуть нехай має
    мають може можуть я ти він вона воно ми ви вони його її їх йому їй їм ним ними нього нас нам себе свій цей
    ця це ці цього цієї цих цьому цим той те ті того тієї тих тим який яка яке які якого якої яких якому яким
    якими хто де кожен кожна кожне кожного кожної будь усі всі всіх весь вся деякий деяка деяке деякого такий
    така таке такі не ні тільки лише вже ще дуже більш менш один одна одне теж також тут там завжди
    """,
    "bulgarian": """
    и или но а да ли че ако когато тъй като така затова тогава докато в във на с със към от до из у о по за
    при над под пред между без през около след е са беше бяха бъде бъдат съм сме има имат може могат нека аз
    ти той тя то ние вие те го я ги му й им ни ви се си този тази това тези онзи онази който която което които
    кой къде какъв каква всеки всяка всяко всички всичко някой някоя някое някои такъв такава такива не само
    вече още много повече един една едно също тук там винаги
    """,
    "serbian": """
    и или али а те ни нити да ако када јер дакле тада како док у с са на до од из за о по при кроз над под
    према између без к ка је су био била било били бити буде буду нека има имају може могу није нису смо ја ти
    он она оно ми ви они се га му јој их им овај ова ово тај та то тог тих том тим који која које којег којих
    којим ко што где не само већ такође врло више сваки свака свако сваког сви све свих неки неко такав таква
    такво
    """,
    "greek": """
    ο η το οι τα του της των τον την τους τις στο στη στην στον στα στους στις ένα ένας μια μία ενός μιας και
    ή αλλά ούτε αν εάν όταν γιατί διότι επειδή ώστε άρα τότε πως ότι που ενώ όπως σε με για από προς κατά μετά
    πριν χωρίς μεταξύ υπό επί ως είναι ήταν έστω έχει έχουν είχε μπορεί μπορούν να θα ας εγώ εσύ αυτός αυτή
    αυτό αυτοί αυτά αυτού αυτής αυτών εμείς ποιος ποια ποιο κάθε κάποιος κάποια κάποιο όλα όλες όλοι όλων
    άλλος άλλη άλλο δεν μην μόνο ήδη επίσης πολύ πιο ίδιο ίδια εδώ εκεί
    """,
    "arabic": """
    في من إلى على عن مع بين حتى منذ عند بعد قبل تحت فوق دون حول خلال و أو ثم بل لكن لا ما لم لن إن أن إذا إذ
    لو كان كانت يكون تكون ليكن لتكن ليس ليست هو هي هم هذا هذه ذلك تلك هؤلاء الذي التي الذين اللذان كل بعض أي
    أية غير كما مثل حيث لأن لكل فإن فإنه فإنها أنه أنها به بها له لها فيه فيها منه منها عليه عليها قد هنا هناك
    أيضا فقط
    """,
    "persian": """
    در از به با بر برای تا بین روی زیر بدون پس پیش درباره و یا اما ولی اگر که چون زیرا هرگاه آنگاه یعنی چنانچه
    است هست هستند بود بودند باشد باشند شود شوند می نمی دارد دارند کند کنند نیست نیستند گوییم داریم این آن
    اینها آنها هر همه یک هیچ چند برخی خود او ما شما چه کدام کجا چگونه همان دیگر نیز هم فقط را ای
    """,
    "hebrew": """
    של את על אל עם מן בין לפי אחרי לפני תחת מעל ללא עד אצל או אבל אם כי אז לכן כאשר כך וגם גם רק לא אין יש הוא
    היא הם הן זה זו זאת אלה אלו אשר כל כלשהו כלשהי איזה מה מי איך איפה היה הייתה היו יהי תהי יהיו נניח ניתן
    אני אתה אנחנו אותו אותה שלו שלה בו בה לו לה להם
    """,
    "hindi": """
    का की के को से में पर ने तक और या एवं तथा परन्तु लेकिन यदि तो कि क्योंकि जब तब जहाँ जो वह यह वे ये इस उस
    इन उन इसके उसके है हैं था थी थे हो होता होती होते हुआ हुई किसी कोई कुछ सभी प्रत्येक एक नहीं न भी ही केवल
    अब लिए द्वारा साथ रूप अपने
    """,
    "chinese": """
    的 是 在 了 和 与 及 或 若 则 其 且 而 为 于 以 即 也 都 就 之 此 这 那 该 有 对 设 使 个 被 把 从
    到 所 由 又 中 上 下 不
    """,
    "japanese": """
    の は が を に へ と で も や か ば な た て し る れ き く さ す い う から まで より など ある いる
    する なる この その あの どの
    """,
    "korean": """
    은 는 이 가 을 를 의 에 와 과 및
    """,
    "thai": """
    ที่ ของ ใน และ หรือ เป็น มี ได้ ให้ จะ ถ้า แล้ว กับ จาก โดย ซึ่ง นี้ นั้น ว่า ไม่ ก็ แต่ ทุก
    """,
}

FUNCTION_WORDS: dict[str, frozenset[str]] = {language: frozenset(words.split()) for language, words in _WORDS.items()}
FUNCTION_WORDS["german"] |= {word.translate(BARE_LETTERS) for word in FUNCTION_WORDS["german"]}
"""The words by language."""

_WRITTEN_OTHERWISE = frozenset(
    "arabic bulgarian chinese greek hebrew hindi japanese korean persian russian serbian thai ukrainian".split()
)
"""Languages without Latin letters: words of their texts in these are English."""

NO_STOP_WORDS = "none"
"""The name of the list without words."""


@lru_cache(64)
def stop_words(names: str) -> frozenset[str]:
    """The folded words of a list: a language, ``none``, or several with ``+`` between them.

    :raises KeyError: there is no such list.
    """
    words: set[str] = set()
    for name in names.split("+"):
        if name != NO_STOP_WORDS:
            words.update(map(fold, FUNCTION_WORDS[name]))
            if name in _WRITTEN_OTHERWISE:
                words |= FUNCTION_WORDS["english"]
    return frozenset(words)
