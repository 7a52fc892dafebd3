"""Words by what they can do in an English sentence: a small list of closed classes and of common verbs."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


DETERMINERS = _set(
    """
    the a an this that these those each every some any no all both either neither another such most many several few
    much more less one two three four five six seven eight nine ten
    """
)
POSSESSIVES = _set("my your his her its our their whose")
SUBJECTS = _set("i you he she it we they")
PRONOUNS = SUBJECTS | _set(
    "me him them us himself herself itself themselves ours theirs someone everyone nobody nothing"
)
OBJECTS = _set("it them him her this these those")
"""Words that point at something said before, where no noun follows."""
PREPOSITIONS = _set("""
    about above across after against along among around as at before behind below beneath beside besides between
    beyond by despite down during for from in inside into like near of off on onto out outside over past per since
    through throughout till to toward towards under underneath until up upon via with within without worldwide than
    versus amid among except
    """)
SUBORDINATORS = _set("""
    because although though whereas while when whenever after before until since if unless whether once as so where
    wherever lest provided
    """)
CONCESSIVES = _set("although though")
CONDITIONS = _set("if unless whether otherwise lest provided providing supposing assuming wherever whichever whatever")
RELATIVES = _set("which who whom whose that where what how why")
COORDINATORS = _set("and but or nor yet")
BE = _set("is are was were am be been being isn't aren't wasn't weren't")
HAVE = _set("has have had having hasn't haven't hadn't")
DO = _set("does do did doesn't don't didn't")
MODALS = _set("""
    can could may might must shall should will would cannot can't couldn't won't wouldn't shouldn't mustn't mayn't
    needn't
    """)
NEGATIONS = _set("not never no n't cannot neither nor none nobody nothing hardly without")
FINITE = (
    _set("is are was were am has have had does do did")
    | MODALS
    | _set("isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't")
)
SINGULAR = _set("is was has does isn't wasn't hasn't doesn't")
PLURAL = _set("are were have do aren't weren't haven't don't")
PAST = _set("was were had did wasn't weren't hadn't didn't")
ADVERBS = _set("""
    also not never always often usually sometimes now then still already just only even again soon later currently
    recently therefore thus hence however rather quite very too almost well once twice ever far here there back
    today yesterday tomorrow instead together nearly perhaps maybe thereby first last early late twice everywhere
    """)
MARKERS = (
    "however", "therefore", "thus", "hence", "moreover", "furthermore", "additionally", "consequently", "nevertheless",
    "nonetheless", "in addition", "for example", "for instance", "as a result", "in fact", "in contrast",
    "on the other hand", "of course", "by contrast", "similarly", "likewise", "besides", "finally", "indeed", "still",
    "in other words", "in short", "then", "specifically", "so", "in general", "and", "but", "yet", "also",
)  # fmt: skip
"""What ties a sentence to the one before, and says nothing by itself."""
REPORTING = _set("""
    say says said claim claims claimed believe believes believed think thinks thought argue argues argued report
    reports reported suggest suggests suggested expect expects expected hope hopes hoped allege alleges alleged know
    knows knew doubt doubts doubted assume assumes assumed estimate estimates estimated predict predicts predicted
    find finds found show shows showed shown conclude concludes concluded deny denies denied warn warns warned
    announce announces announced confirm confirms confirmed state states stated note notes noted add adds added
    indicate indicates indicated imply implies implied ensure ensures ensured mean means meant
    """)
EVENTS = _set("""
    mean means meant allow allows allowed make makes made cause causes caused lead leads led help helps helped
    surprise surprises surprised reduce reduces reduced increase increases increased let lets enable enables enabled
    prevent prevents prevented result results resulted
    """)
"""Verbs whose `which` often stands for the whole sentence before it."""
WHOLE = _set("either neither nor respectively both whether whichever whatever")
"""Words whose parts belong together."""
CONTRACTED = _set("""
    it's he's she's that's there's here's what's who's they're we're you're i'm it'll he'll she'll they'll we'll
    you'll i'll they've we've you've i've it'd they'd we'd you'd
    """)
"""A subject and its verb in one word."""
ADJECTIVES = _set("""
    other such same own new old good great large small high low long short big main major whole full different similar
    certain various further former latter next previous
    """)
"""Words after which a participle describes a noun: `other related fields`."""
MONTHS = _set("""
    january february march april may june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec
    """)
ABBREVIATIONS = _set("inc ltd co corp dr mr mrs ms prof st no fig vs jr sr etc approx u.s u.k e.g i.e a.m p.m dept est")
PERSON_TITLES = _set("dr mr mrs ms prof sir dame president")
IRREGULAR_PLURALS = _set(
    "people children men women alumni larvae bacteria mice teeth feet criteria phenomena data media police"
)

FIRMS = _set("""
    inc ltd corp co group systems foods motors energy labs bank institute university organization company agency
    council software airlines press union association foundation technologies holdings
    """)
"""Words of names that no person has."""
TOGETHER = _set("""
    combine compare connect mix merge join link separate divide total balance exchange switch distinguish differ
    choose share sum add become
    """)
"""Verbs whose objects belong together."""
ACTIVE = _set("moved died retired became lived worked studied returned grew rose fell went came left")
"""Past forms that after a passive are active all the same: `was born in Cork and studied law`."""
NOT_ADVERBS = _set("family supply apply reply rely early only assembly monthly daily fly italy")
"""Words in -ly that are no adverbs."""
BACKWARD = _set("it's he's she's that's they're it'll he'll she'll they'll they've")
"""A pronoun that points back, and its verb, in one word."""
EMPTY_IT = _set("is was takes took seems seemed appears appeared remains follows turns")
"""Verbs of an `it` that stands for nothing."""
NOT_ALONE = _set("one ones others none former latter majority rest remainder he she")
"""Words of subjects that say nothing without the clause before."""
NOT_FRONTED = _set("compared given provided combined followed concerned based related used faced")
"""Participles that begin a comparison or a condition rather than a fact."""
_IRREGULAR = """
be was been|become became become|begin began begun|bend bent bent|bind bound bound|bite bit bitten|
blow blew blown|break broke broken|bring brought brought|build built built|burn burnt burnt|buy bought bought|
catch caught caught|choose chose chosen|come came come|cost cost cost|cut cut cut|deal dealt dealt|
dig dug dug|do did done|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|
feed fed fed|feel felt felt|fight fought fought|find found found|flee fled fled|fly flew flown|
forbid forbade forbidden|forget forgot forgotten|freeze froze frozen|get got gotten|give gave given|
go went gone|grow grew grown|hang hung hung|have had had|hear heard heard|hide hid hidden|hit hit hit|
hold held held|keep kept kept|know knew known|lay laid laid|lead led led|learn learnt learnt|leave left left|
lend lent lent|let let let|lie lay lain|light lit lit|lose lost lost|make made made|mean meant meant|
meet met met|overcome overcame overcome|pay paid paid|put put put|quit quit quit|read read read|
ride rode ridden|ring rang rung|rise rose risen|run ran run|say said said|see saw seen|seek sought sought|
sell sold sold|send sent sent|set set set|shake shook shaken|shine shone shone|shoot shot shot|
show showed shown|shrink shrank shrunk|shut shut shut|sing sang sung|sink sank sunk|sit sat sat|
sleep slept slept|slide slid slid|speak spoke spoken|speed sped sped|spend spent spent|spin spun spun|
split split split|spread spread spread|stand stood stood|steal stole stolen|stick stuck stuck|
strike struck struck|swear swore sworn|swim swam swum|take took taken|teach taught taught|tear tore torn|
tell told told|think thought thought|throw threw thrown|undergo underwent undergone|
understand understood understood|undertake undertook undertaken|wear wore worn|win won won|wind wound wound|
withdraw withdrew withdrawn|write wrote written|rewrite rewrote rewritten|rebuild rebuilt rebuilt|
reset reset reset|oversee oversaw overseen|outgrow outgrew outgrown|bear bore born|beat beat beaten|
arise arose arisen|bid bid bid|broadcast broadcast broadcast|cast cast cast|hurt hurt hurt|
mistake mistook mistaken|rid rid rid|shed shed shed
"""
_REGULAR = """
abandon absorb accelerate accept access accompany account achieve acquire act activate adapt add address adjust
administer admit adopt advance advise affect agree aim allocate allow alter amend analyse analyze announce
answer appear append apply appoint appreciate approach approve argue arrange arrest arrive assemble assert
assess assign assist assume attach attack attempt attend attract audit authenticate authorize avoid award back
bake balance ban base batch behave believe belong benefit block boil boost bore borrow bounce branch breathe
breed browse bundle bypass cache calculate call cancel capture care carry cause celebrate certify change charge
chart chase check circulate cite claim classify clean clear climb clone close collapse collect combine commit
communicate compare compete compile complain complete comply compose compress compute concern conclude conduct
configure confirm connect consider consist construct consume contact contain continue contract contribute
control convert convince cook cool cooperate coordinate copy correct correspond count cover crash crawl create
criticize cross crush cultivate damage date debug decide declare decline decode decompose decorate decrease
dedicate deepen default defend define delay delegate delete deliver demand demolish demonstrate deny depart
depend deploy deposit derive descend describe deserve design destroy detect determine develop devote die differ
digest diminish direct disable disappear discard disclose discover discuss display dissolve distinguish
distribute dive divide document dominate donate double download drain drift drop dry duplicate earn edit educate
elect eliminate emerge emit emphasize employ enable encode encounter encourage encrypt end endure enforce engage
enhance enjoy enlarge enroll ensure enter establish estimate evaluate evaporate evolve examine exceed exchange
exclude execute exercise exhibit exist expand expect expire explain explode exploit explore export expose
express extend extract face facilitate fade fail favor feature fetch file fill filter finance finish fit fix
flow focus fold follow force form format formulate forward found free fuel fulfil fulfill function fund gain
gather generate govern graduate grant guarantee guard guide handle happen harm harvest head heal heat help hire
host hunt identify ignore illustrate imagine implement imply import impose improve include incorporate increase
index indicate infect inflate influence inform inhabit inherit initiate inject insert inspect inspire install
integrate intend interact interfere interpret introduce invade invent invest investigate invite invoke involve
isolate issue iterate join judge jump justify kill label lack land last launch leak lease level license lift
like limit link list listen live load locate lock log look love lower maintain manage manufacture map mark
market match mature measure melt mention merge migrate mine minimize miss mix model modify monitor mount move
multiply name narrow need negotiate neglect nominate normalize note notice notify number obey observe obtain
occupy occur offer open operate oppose optimize order organize originate overlap override own pack package paint
park parse participate pass patch pause penetrate perform permit persist persuade place plan plant play point
pollute populate possess postpone pour power practise predict prefer prepare present preserve press prevent
price print proceed process produce program project prohibit promise promote propose protect prove provide
publish pull pump punish purchase push qualify query queue quote race raise range rank rate reach react realize
rebound recall receive recognize recommend reconnect record recover recruit recycle redesign redirect reduce
refer refine reflect reform refuse regain register regret regulate reject relate release reload rely remain
remember remind remove rename render renew rent reopen repair repeat replace replicate reply report represent
reproduce request require rescue research resemble reserve reside resign resist resolve respond rest restart
restore restrict result resume retain retire retreat retry return reveal reverse review revise reward rotate
route ruin rule sail sample satisfy save scale scan schedule score scroll seal search secure seem select
separate serve settle shape share shift ship shorten sign signal simplify skip slow solve sort span specialize
specify spell sponsor stabilize start state stay stem stop store stream strengthen stress stretch structure
struggle study submit subscribe succeed suffer suggest suit supply support suppose surround survive suspend
sustain switch synchronize tackle target tend terminate test thank threaten thrive tie tolerate touch trace
track trade train transfer transform translate transmit transport trap travel treat trigger trim trust try turn
type update upgrade upload urge use validate vanish vary verify view violate visit vote wait walk want warm warn
wash waste watch weaken weigh welcome widen wish witness work wrap yield amount dock comprise cease regard
encompass coincide house inhibit predate underline dwell prevail entail reinforce constitute contend prompt
preclude preside translate accumulate activate advocate align allege amplify anticipate attain attribute
authorise broaden capitalize challenge characterize clarify coexist cohere commence commission compensate
complement comprehend conceal concede concentrate condemn confer confine conflict conform confront conserve
constrain consult contradict contrast converge cope correlate criticise culminate deduce defeat deliberate
denote depict deprive designate deteriorate devise diagnose dictate diffuse dip discharge discourage dismiss
dispose disrupt diverge diversify elaborate elevate embody embrace enact enclose endorse enrich equal equip
erode escape evoke exert exhaust explode facilitate flourish fluctuate foster fuse halt hinder hypothesize
impede impress incur induce infer initialize innovate instruct interrupt intervene lag lobby matter mediate
mobilize motivate navigate necessitate oblige obscure outline outperform overtake parallel perceive pertain
pioneer plead plot pose precede presume prevail probe profit prolong propagate prosper provoke quit radiate
ratify reassure rebel reconcile reconstruct refrain reign reinforce relieve relocate renounce reopen resist
respond restrain retrieve revolve saturate scatter seize simulate specialise spawn stimulate stipulate subsidize
substitute succeed summarize supersede supervise supplement suppress surge surpass surrender symbolize testify
tighten traverse trail undermine abolish accuse adjoin adorn aid apologize applaud arm ask assault await beg betray
bill blame blend bless bloom boast book border brake brush bully burst bury button calm campaign caution cheer chop
coach collide color colour comfort complicate confess confuse congratulate contaminate crack cure curve cycle dance
dare decay deceive deduct deem defer degrade depress desire detach deter disagree disconnect dismantle doubt dream
dress drown dye ease echo embark embed empty enlist entertain equate erase erect err evacuate excel excite excuse
expel fear fence ferment fine finalize flash flatten float flood flush freight frighten fry furnish glance glow grab
greet grind guess hammer hand hate highlight hope hurry ink inquire insist install insulate insure interview irrigate
jeopardize kick kiss knock ladder lean loop magnify mail marry merit mislead moderate mould multiply nest number
oblige offset ordain orient outlaw outnumber overflow overlook overwrite pave pay peak penalize perfect persecute phase
pick pipe pledge poison polish post practice praise pray preach premiere prescribe proclaim prosecute pronounce
quantify quarantine rally rain readjust reap reassign rebrand receive recite reckon reconfigure redefine reflect
refuel refund regenerate rehearse reissue remark remodel repay rephrase repel resell reshape resort revert revive
revoke rewrite rock rush sanction sense sequence shelter shout shrink shut sigh situate slice smell smile smoke snow
soften sow spare sparkle specify spray stain stall steer stir straddle strain strip subtract sue summon surprise
surround suspect swallow swap sweep synthesize tag tap taste tax telephone tempt toast trickle tour toughen trip
trouble underpin underscore unlock unveil urge vacate verify veto wander warrant water weave weld whisper whistle
widen wire worry worship wreck zip zoom unify unite uphold utilize vibrate weather withstand worsen
"""
NOUNISH = _set("""
    remain profit equal parallel escape matter plot trail surge pioneer conflict contrast commission weather probe
    dip halt lag challenge outline attribute complement supplement substitute discharge defeat access account act
    address aim amount answer approach attack attempt audit award back balance ban base batch benefit block boost
    branch bundle cache call care cause change charge chart check claim clone close collapse compound contact
    contract control copy cost count cover crash damage date deal default delay demand deposit design display dock
    document double drain drift drop end estimate exchange exercise exhibit export face fall feature feed file fill
    filter finance finish fit fix flow focus fold force form format forward fuel function fund gain grant guarantee
    guard guide handle harm harvest head heat help hire host house hunt import increase index influence interest
    issue join judge jump label lack land last launch lead leak lease level license lift light limit link list load
    lock log look love map mark market match measure mine miss mix model monitor mount move name need note notice
    number offer open order overlap own pack package paint park patch pause permit place plan plant play point power
    practise present press price print process produce program project promise pump purchase query queue quote race
    range rank rate reach record recall reform regard release rent repair reply report request rescue research
    reserve rest result return reverse review reward ride ring rise route rule run sail sample save scale schedule
    score seal search sense set shape share shift ship show sign signal slide sort span speed spell spin split
    sponsor spread stand start state stay stem step stop store stream stress stretch structure struggle study supply
    support switch target tear test tie touch trace track trade train transfer transport trap travel treat trigger
    trim trust try turn type update upgrade use view visit vote wait walk warm waste watch wear welcome win wind
    wish witness work wrap yield cut hit cast fight drink drive draw break bend bite blow separate free clear clean
    lower narrow dry slow cool level correct complete live secure
    aid arm ask bill blame blend bloom book border brake brush burst button calm campaign caution cheer coach color
    colour comfort crack cure curve cycle dance decay desire doubt dream dress dye ease echo empty fear fence fine flash
    float flood flush freight glance glow guess hammer hand hate highlight hope hurry ink interview kick knock ladder
    lean loop mail merit moderate mould nest offset orient outlaw pay peak perfect phase pick pipe pledge poison polish
    post practice praise premiere quarantine rain rally refund remark resort rock rush sanction sense sequence shelter
    shout slice smell smile smoke snow spare spray stain stall steer stir strain strip surprise suspect swap sweep tag
    tap taste tax telephone toast tour trip trouble urge veto warrant water weave weld whisper whistle wire worry wreck
    zip zoom
    """)
"""Verbs whose forms are as often nouns or adjectives; they need a better sign that they are verbs here."""


def _third(base: str) -> str:
    if base in {"be", "have", "do", "go"}:
        return {"be": "is", "have": "has", "do": "does", "go": "goes"}[base]
    if base.endswith(("s", "x", "z", "ch", "sh")):
        return base + "es"
    return base[:-1] + "ies" if base[-1] == "y" and base[-2] not in "aeiou" else base + "s"


_TRIPLES = [entry.split() for entry in _IRREGULAR.replace("\n", "").split("|")]
IRREGULAR_FORMS = tuple((base, form) for base, *forms in _TRIPLES for form in forms)
"""Every irregular verb with its past and its participle."""
BASES = _set(_REGULAR) | {base for base, _, _ in _TRIPLES}
THIRDS = {_third(base): base for base in BASES}
ONLY_PAST = frozenset(past for _, past, participle in _TRIPLES if past != participle) - BASES
"""Forms that are nothing but a finite past."""
BOTH_PAST = frozenset(past for _, past, participle in _TRIPLES if past == participle)
PARTICIPLES = frozenset(participle for _, _, participle in _TRIPLES)
"""Of irregular verbs; those of regular ones end in -ed."""
NOT_ED = _set(
    "need seed feed speed weed bed red shed sled breed indeed hundred embed proceed exceed succeed bleed wed led"
)
"""Words in -ed that are no past."""
