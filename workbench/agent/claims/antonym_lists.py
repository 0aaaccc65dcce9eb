"""Antonyms, converse words and members of a series, with the word lists.

The lists contain general words only, in English and simplified Chinese; see fold_characters() for traditional
characters. A word may be in several groups: "light" is neither heavy nor dark.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from workbench.store.segmentation import stem

ANTONYMS_EN = """
abundant abundance plentiful plenty | scarce scarcity; accurate accurately | inaccurate inaccurately; adequate |
inadequate; advance advanced | retreat retreated; affirm affirmed | negate; aggravate aggravated | alleviate
alleviated relieve; amplify amplified | attenuate attenuated; anxious | calm; appropriate | inappropriate; arrogant
arrogance | humble humility modest; artificial | genuine; assemble assembled | disassemble disassembled dismantle
dismantled; asleep | awake; attract attracted attractive | repel repelled repulsive; authentic | counterfeit forged;
available | unavailable; backwards | onwards; barren infertile | fertile; beautiful | ugly; believe believed | doubt
doubted; benevolent | malevolent; benign | malignant; bless blessed | curse cursed; boost boosted | curb curbed; bold
| timid; brave bravery courageous courage | cowardly cowardice; bullish | bearish; busy | idle; calm | stormy
turbulent; candid | evasive; casual | formal; certain certainty | uncertain uncertainty doubtful; chaos chaotic |
order orderly; civilized | barbaric; clear clearly | unclear vague obscure; clever intelligent smart | stupid foolish;
climax | anticlimax; coarse | fine; coherent | incoherent; comfort comfortable | discomfort uncomfortable; comic
comedy | tragic tragedy; compatible | incompatible; competent competence | incompetent incompetence; comply complied
compliance compliant | violate violated violation; compress compressed | decompress decompressed; compulsory |
voluntary; conceal concealed | disclose disclosed; condemn condemned | praise praised; confident | diffident insecure;
consistent consistently | inconsistent inconsistently; constructive | destructive; contaminated polluted |
uncontaminated unpolluted; contented satisfied satisfaction | discontented dissatisfied dissatisfaction; convex |
concave; convenient | inconvenient; convict convicted | acquit acquitted; courteous polite | rude impolite; covered |
uncovered; creation | destruction; criticize criticized criticise criticised | praise praised; cruel cruelty | kind
kindness; curved crooked | straight; customary | exceptional; damp moist humid | dry arid; dawn | dusk; decode decrypt
decrypted | encode encrypt encrypted; deepen deepened | shallow; defective faulty | flawless faultless; deflate
deflated deflation | inflate inflated inflation; deliberate intentional intentionally deliberately | accidental
accidentally unintentional unintentionally inadvertently; demote demoted | promote promoted; dense densely | sparse
sparsely; dependent dependence | independent independence; deport | admit; deserted abandoned | inhabited occupied;
despair | hope; diligent hardworking | lazy; dissolve dissolved | precipitate precipitated; diverse diversity |
uniform uniformity; dominant | recessive subordinate; dormant | erupting; drunk | sober; durable | fragile; eager |
reluctant; economical thrifty | wasteful extravagant; effective effectively | ineffective ineffectively; efficient
efficiently | inefficient inefficiently; elastic | inelastic; elevated | sunken; eligible | ineligible; emigrate
emigrated emigration | immigrate immigrated immigration; encrypted | unencrypted; enormous gigantic immense massive |
minute minuscule microscopic; enrich enriched | impoverish impoverished deplete depleted; essential | unnecessary
dispensable; evergreen | deciduous; exact | approximate; exhale | inhale; exceptional | ordinary; excess excessive |
lacking; exempt | liable; exterior | interior; explode | implode; exothermic | endothermic; extrovert extroverted |
introvert introverted; fair | unfair biased; faithful loyal loyalty | disloyal disloyalty treacherous unfaithful;
famous renowned | obscure unknown; fat obese overweight | thin slim underweight; feasible | infeasible impracticable;
feminine | masculine; fiction fictional | nonfiction factual; finite | infinite; flexible flexibility | inflexible
rigid rigidity; flourish flourished thrive thrived | wither withered; fluid | rigid; foreground | background;
fortunate fortunately lucky | unfortunate unfortunately unlucky; freeze froze frozen | melt melted thaw thawed; fresh
| stale rotten; friendliness | hostility; generous generosity | stingy miserly; gentle | harsh violent; gradual
gradually | sudden suddenly abrupt abruptly; graceful | clumsy; grateful | ungrateful; guest | host; happy happiness
joyful | unhappy sad sadness unhappiness; harmony harmonious | discord discordant; harden hardened | soften softened;
heaven | hell; hero heroic | villain villainous; hire hired recruit recruited | dismiss dismissed fired; homogeneous |
heterogeneous; honour honor | dishonour dishonor; hopeful | hopeless; horizontal | upright; humane | inhumane;
identical | dissimilar; ignite ignited | extinguish extinguished; immediate immediately instantly | delayed
eventually; immune | susceptible; imprison imprisoned jailed | release released freed; inaugurate inaugurated | close;
include | omit omitted; inflammable flammable combustible | nonflammable fireproof; inhabited | uninhabited; innocence
| guilt; inpatient | outpatient; insert inserted | extract extracted; insecure | secure; install installed | uninstall
uninstalled; intact | broken damaged; intense | mild; intentional | accidental; interested | indifferent; involve
involved | exempt; joy | sorrow grief; knowledge | ignorance; landing land | takeoff; latitude | longitude; lawful
lawfully | unlawful unlawfully; lazy | industrious; leader | follower; legitimate | illegitimate; lenient | strict
severe; lengthen lengthened | shorten shortened; limited | unlimited; literal literally | figurative figuratively
metaphorical; load loaded | unload unloaded; lock locked | unlock unlocked; logical | illogical; macroscopic |
microscopic; majestic | humble; married | unmarried; maternal | paternal; maximize maximized maximise | minimize
minimized minimise; meaningful | meaningless; merciful | merciless; merge merged merger | demerge; merit | demerit;
moderate | extreme; mobile | immobile stationary; monotonous | varied; moral | immoral; nadir | zenith; nationalize
nationalized nationalise nationalised | privatize privatized privatise privatised; neat tidy | messy untidy; neglect
neglected | care; nephew | niece; noble | ignoble; noisy | quiet; nocturnal | diurnal; normal normally | abnormal
abnormally; notable | unremarkable; obedient obey obeyed | disobedient disobey disobeyed; objective | subjective;
obsolete outdated | current; occupied | vacant unoccupied; oppose | endorse endorsed; opaque | transparent; outermost
| innermost; overestimate overestimated overstate overstated | underestimate underestimated understate understated;
overt overtly | covert covertly; owner | tenant; painful | painless; paid | unpaid; partner | rival; patience patient
| impatient impatience; peak | trough; permanent | transient transitory; permeable | impermeable; persuade persuaded |
dissuade dissuaded; pessimism | optimism; pleasant | unpleasant; pleasure | pain; poisonous toxic venomous |
nonpoisonous nontoxic edible; popular popularity | unpopular unpopularity; populous populated | unpopulated
depopulated; possess | lack lacked; postpone postponed delay | hasten hastened; powerful | powerless; practical |
impractical; precise precisely | imprecise vaguely; predictable | unpredictable; premature | overdue; prolong
prolonged | curtail curtailed; proportional | disproportionate; prosper prospered | decay decayed; proven proved |
unproven disproved refuted; prudent | reckless imprudent; pure purify purified | contaminate contaminated; qualified |
unqualified; raise raised | lower lowered; ratify ratified | repeal repealed; rational | irrational; realistic |
unrealistic; recall | forget; recent | longstanding; recover recovered recovery | relapse relapsed; refundable |
nonrefundable; registered | unregistered; relaxed | tense; relevant | irrelevant; reliable | unreliable; religious |
secular; renewable | nonrenewable; reveal | conceal; reversible | irreversible; reward rewarded | punish punished
punishment; rigorous | lax; ripe | unripe; rotate | halt; rough | gentle; saturated | unsaturated; savage | tame;
secure securely | unsecured; selfish | selfless unselfish; sensitive | insensitive; serious | trivial; severe severely
| mild mildly slight slightly; shrink | swell swelled swollen; significant significantly | insignificant; simultaneous
simultaneously | successive successively consecutively; sincere | insincere; skilled skilful | unskilled; sleepy |
alert; smooth | bumpy; sober | intoxicated; solvent | insolvent bankrupt; soluble | insoluble; spacious | cramped;
special | ordinary; spicy | bland; spontaneous | planned; stable stability | unstable instability; static | dynamic;
steep | gentle; sterile | fertile; stimulate stimulated | inhibit inhibited suppress suppressed; stretched |
compressed; subtle | obvious; summit | base foot; superficial | profound thorough; supplement | deduct; surface |
depth; survive survived | perish perished; sweet | bitter sour; symmetric symmetrical | asymmetric asymmetrical;
systematic | random; tactful | tactless; taxable | untaxed; temperate | extreme; tolerant tolerance | intolerant
intolerance; trust trusted | distrust distrusted mistrust; truth | falsehood; typical typically | atypical; unanimous
unanimously | split; unilateral | multilateral; upgrade upgraded | downgrade downgraded; uphold upheld | overturn
overturned; upwind | downwind; urgent | unhurried; useful | worthless; usual | exceptional; vague | definite; valid |
invalid void; valuable | valueless; vegetarian | carnivorous; veteran | novice beginner rookie; vigorous | feeble;
virtue | sin; visible visibly | imperceptible; volatile | stable; vulnerable | invulnerable protected; wane waned |
wax waxed; warm warming | cooling; welcome welcomed | shun shunned; wholesome | unwholesome; wild | domesticated tame;
wise wisdom | unwise folly; withdraw withdrew withdrawn | deposit deposited; withhold withheld | grant granted; worthy
| unworthy; youth youthful | elderly aged; herbivore herbivorous | carnivore; monarchy | republic; monopoly |
competition; odourless odorless | pungent; outdoors | indoors; overhead | underground; prefix | suffix; prologue |
epilogue; pros | cons; quantitative | qualitative; surplus | shortfall; synthesis | analysis; understaffed |
overstaffed; underweight | overweight; vowel | consonant; weekday | weekend
"""
ANTONYMS_ZH = """
充足 充裕 丰富 | 缺乏 匮乏 稀缺 贫乏; 准确 精确 | 粗略; 前进 | 后退 倒退; 加剧 | 缓解 减轻
缓和; 放大 | 缩小; 谦虚 谦逊 | 骄傲 傲慢; 组装 | 拆卸 拆解; 吸引 | 排斥; 真品 正品 | 赝品
假冒 伪造; 肥沃 | 贫瘠; 美丽 漂亮 | 丑陋; 相信 信任 | 怀疑; 良性 | 恶性; 祝福 | 诅咒; 勇敢
| 胆小 懦弱 怯懦; 繁忙 忙碌 | 清闲 空闲; 平静 | 动荡; 清晰 清楚 明确 | 模糊 含糊; 聪明 |
愚蠢 笨; 喜剧 | 悲剧; 舒适 舒服 | 难受; 遵守 服从 | 违反 违背 违抗; 压缩 | 膨胀; 隐瞒 隐藏
掩盖 | 披露 揭露 公布; 谴责 批评 | 赞扬 表扬 称赞; 征服 | 投降; 建设性 | 破坏性; 凸 | 凹;
礼貌 | 粗鲁; 创造 | 毁灭; 残忍 残酷 | 仁慈 善良; 弯曲 | 笔直; 加密 | 解密; 故意 有意 |
意外; 降职 | 晋升 升职; 密集 稠密 | 稀疏 稀少; 自主 | 依附; 勤奋 勤劳 | 懒惰; 溶解 | 沉淀;
多样 多元 | 单一; 显性 | 隐性; 清醒 | 昏迷; 耐用 坚固 | 脆弱 易碎; 节约 节省 节俭 | 浪费
奢侈; 高效 | 低效; 有害 | 有益; 移入 迁入 | 移出 迁出; 庞大 宏大 | 细小; 必要 | 多余; 常绿
| 落叶; 确切 | 大概; 呼气 | 吸气; 吸热 | 放热; 外向 | 内向; 公正 | 偏袒; 忠诚 | 背叛;
闻名 出名 | 默默无闻; 肥胖 | 消瘦 瘦弱; 虚构 | 纪实; 灵活 | 僵硬 死板; 繁荣 兴盛 昌盛 | 萧条
衰落 衰败; 前景 | 背景; 冻结 结冰 | 融化 解冻; 新鲜 | 腐烂 变质; 友好 友善 | 敌对 敌视; 慷慨
大方 | 吝啬 小气; 温和 | 激烈 猛烈; 逐渐 逐步 | 突然 骤然; 感激 | 怨恨; 幸福 | 痛苦; 和谐
| 冲突; 变硬 硬化 | 变软 软化; 天堂 | 地狱; 英雄 | 懦夫; 雇用 聘用 录用 招聘 | 解雇 辞退
开除; 点燃 | 熄灭 扑灭; 立即 立刻 | 延迟; 免疫 | 易感; 监禁 逮捕 | 释放; 易燃 | 阻燃; 插入
| 拔出; 安装 | 卸载; 完整 完好 | 残缺 破损; 强烈 | 轻微; 悲观 | 乐观; 起飞 | 降落 着陆;
经度 | 纬度; 领导者 | 追随者; 宽松 | 严格 严厉; 延长 | 缩短; 装载 | 卸下; 锁定 | 解锁;
宏观 | 微观; 母系 | 父系; 最大化 | 最小化; 合并 | 拆分; 极端 | 适中; 移动 | 固定; 国有化
| 私有化; 整洁 整齐 | 凌乱 杂乱; 高尚 | 卑鄙; 安静 宁静 | 吵闹 喧闹 嘈杂; 正常 | 异常 反常;
客观 | 主观; 过时 | 流行 时髦; 高估 | 低估; 夸大 | 缩小 淡化; 伙伴 | 对手; 耐心 | 急躁;
高峰 顶峰 | 低谷; 促进 推动 | 阻碍 妨碍 抑制; 说服 | 劝阻; 稠 | 稀; 拥有 具有 | 缺少; 推迟
| 提早; 兴旺 | 衰亡; 证实 | 推翻 否定; 谨慎 小心 | 鲁莽 大意; 净化 | 污染; 批准 | 驳回;
理性 | 感性; 现实 | 理想; 康复 痊愈 | 复发 恶化; 放松 | 紧张; 世俗 | 宗教; 奖励 奖赏 |
惩罚 处罚; 成熟 | 幼稚; 粗糙 | 光滑 平滑; 野生 | 家养 人工; 敏感 | 迟钝; 严重 | 轻微; 同时
| 先后; 真诚 诚实 | 虚伪 欺骗; 熟练 | 生疏; 偿付 | 拖欠; 宽敞 | 拥挤 狭小; 平凡 普通 |
特殊; 稳定 | 动荡; 静态 | 动态; 陡峭 | 平缓; 刺激 | 抑制; 山顶 | 山脚; 表面 表层 | 深层
深处; 幸存 生还 | 遇难 丧生; 甜 | 苦; 宽容 | 苛刻; 真理 真相 | 谎言 谬误; 一致 | 分歧;
单边 | 多边; 升级 | 降级; 维持 | 推翻; 顺风 | 逆风; 有用 | 没用; 平常 | 反常; 存款 存入
| 取款 取出; 老手 | 新手; 定量 | 定性; 元音 | 辅音; 君主制 | 共和制; 垄断 | 竞争; 室内 |
室外 户外; 地上 | 地下; 食草 | 食肉; 开头 | 结尾; 序言 | 后记; 顺时针 | 逆时针; 攻势 |
守势; 现任 | 前任; 首先 | 最后; 赞成票 | 反对票; 多云 | 晴朗; 晴天 | 雨天 阴天; 顺序 |
倒序 逆序; 升序 | 降序; 收紧 | 放宽 放松; 集中 | 分散; 集权 | 分权; 团结 | 分裂; 联系 |
隔绝; 聚集 | 散开 解散; 上任 就任 就职 | 卸任 离任 辞职; 入学 | 毕业; 入院 | 出院; 入境 |
出境; 开业 | 停业 歇业; 开工 动工 | 竣工 完工 停工; 复工 | 停工; 开幕 | 闭幕; 开头 | 末尾;
上车 | 下车; 启用 | 停用 弃用; 生效 | 失效; 签订 | 解除; 盛产 | 罕产; 顺差 | 逆差; 通胀
通货膨胀 | 通缩 通货紧缩; 升值 | 贬值; 复苏 | 衰退; 热情 | 冷淡; 亲近 亲密 | 疏远; 熟悉 |
陌生; 尊重 尊敬 | 轻视 蔑视; 重视 | 忽视 忽略; 珍惜 | 糟蹋; 保留 | 删除 取消; 保护 | 破坏
损害; 保密 | 泄露 泄密; 增产 | 减产; 增值 | 减值; 增员 | 裁员; 扩招 | 缩招; 上调 | 下调;
上涨 | 下跌; 上行 | 下行; 上层 | 下层 底层; 上级 | 下级; 长辈 | 晚辈; 年长 | 年轻; 老年
| 青年 少年; 雄性 | 雌性; 公 | 母; 阳性 | 阴性; 正数 | 负数; 正常 | 故障; 官方 | 民间;
本地 当地 | 外地; 近郊 | 远郊; 近海 | 远洋; 高原 | 平原; 高温 | 低温; 高压 | 低压; 高速
| 低速; 高级 高等 | 低级 初级 初等; 高产 | 低产; 高空 | 低空; 高档 | 低档; 大型 | 小型;
大规模 | 小规模; 大量 | 少量; 大幅 | 小幅; 长途 | 短途; 长寿 | 短命; 长篇 | 短篇; 深色 |
浅色; 深水 | 浅水; 重工业 | 轻工业; 硬 坚硬 | 软 柔软; 松 | 紧; 粗 | 细; 胖 | 瘦; 干净
清洁 | 肮脏 脏; 干旱 | 洪涝; 富饶 | 贫瘠; 咸水 | 淡水; 顺利 | 曲折; 易 | 难; 巧妙 |
笨拙; 先进 | 落后; 领先 | 落后; 进步 | 退步; 团体 | 个人; 集体 | 个体 个人; 整体 | 局部;
全国 | 地方; 全面 | 片面; 普遍 | 个别; 一般 | 特殊; 具体 | 抽象; 绝对 | 相对; 原因 |
结果; 原告 | 被告; 理论 | 实践; 主观 | 客观; 物质 | 精神; 唯物 | 唯心; 必然 | 偶然; 自愿
| 被迫 强制; 连续 | 间断; 频繁 | 稀少
"""


# Groups, with a bar between the two sides of each group.
_OPPOSITES = """
high higher highest highly | low lower lowest; large larger largest big bigger biggest greater greatest huge vast |
small smaller smallest little tiny; long longer longest lengthy | short shorter shortest brief; tall taller tallest |
short shorter shortest; early earlier earliest | late later latest; old older oldest elder ancient | young younger
youngest new newer newest modern recent; hot hotter hottest warm warmer warmest | cold colder coldest cool cooler
coolest; strong stronger strongest | weak weaker weakest; strength strengthen strengthened | weakness weaken weakened;
rich richer richest wealthy wealthier | poor poorer poorest; fast faster fastest quick quicker quickly rapid rapidly |
slow slower slowest slowly; heavy heavier heaviest | light lighter lightest; bright brighter light lighter | dark
darker dim dimmer; wide wider widest broad broader | narrow narrower narrowest; deep deeper deepest | shallow
shallower shallowest; thick thicker | thin thinner; hard harder hardest difficult | easy easier easiest easily;
complex complicated | simple simpler simplest; good better best | bad worse worst; more | less fewer; most | least
fewest; many much | few little; maximum maximal | minimum minimal; majority | minority; major | minor; increase
increased rise rose risen rising grow grew grown growth gain gained climb surge expand raise enlarge | decrease fall
fell fallen falling drop decline shrink shrank shrunk reduce reduction lower lowered lose lost loss diminish lessen;
expansion expand widen | contraction contract narrow; accelerate | decelerate slow slowed; improve improvement |
worsen deteriorate deterioration; exceed exceeded surpass | fall_short undershoot; before prior | after since
following; above over | below under beneath; up upward upwards | down downward downwards; inside within | outside
beyond; inner internal interior indoor inland | outer external exterior outdoor; upper | lower; top | bottom; left |
right; front | back rear; near nearer nearest close closer closest nearby | far farther farthest further distant;
first | last final; begin began begun beginning start started | end ended finish finished stop stopped cease ceased;
include included inclusion | exclude excluded exclusion; accept accepted acceptance | reject rejected refuse refused
rejection decline declined; allow allowed permit permitted legalize authorize authorise | forbid forbidden forbade
prohibit prohibited ban banned disallow; support supported favor favour advocate | oppose opposed opposition resist;
agree agreed agreement | disagree disagreed disagreement; approve approved approval | disapprove reject rejected veto;
admit admitted confirm confirmed | deny denied; succeed succeeded success successful successfully | fail failed
failure unsuccessful; remember remembered | forget forgot forgotten; born birth | died death; profit profitable | loss
unprofitable; asset | liability debt; surplus | deficit shortage; advantage benefit | disadvantage drawback; positive
positively | negative negatively; optimistic | pessimistic; active actively | passive passively inactive; present
presence | absent absence; public publicly | private privately secret; domestic domestically national | foreign
overseas international; urban city | rural countryside; local | global; permanent permanently | temporary temporarily;
constant stable steady | variable unstable changing; formal | informal; natural | artificial synthetic; real true
genuine | false fake; correct correctly | incorrect wrong wrongly; common frequent frequently often usual | rare
rarely seldom uncommon infrequent infrequently unusual; always | never; everyone everybody everything everywhere |
nobody nothing nowhere none; all every | none no; full | empty; safe safely safety | dangerous danger hazardous
unsafe; dry drier | wet wetter; solid | liquid; hard rigid | soft; clean | dirty; healthy | sick ill; guilty |
innocent; war wartime | peace peacetime; friend ally allied | enemy foe; male man men boy | female woman women girl;
son | daughter; brother | sister; husband | wife; uncle | aunt; king | queen; ascend ascending | descend descending;
multiply | divide; unite united unify join | divide divided separate separated split; attach connect connected |
detach disconnect disconnected; enable enabled | disable disabled prevent; encourage encouraged | discourage
discouraged; mandatory compulsory required obligatory | optional voluntary; horizontal horizontally | vertical
vertically; odd | even; together jointly | separately individually; direct directly | indirect indirectly; despite |
because; conservative | liberal progressive; senior | junior; superior | inferior; professional | amateur; civilian |
military; tropical | polar arctic; sunrise dawn | sunset dusk; day daytime | night nighttime; summer | winter; offense
| defense; acid acidic | alkaline basic; hot | cold; tight | loose; sharp | blunt; rough | smooth; loud louder | quiet
quieter silent; ahead | behind; forward forwards | backward backwards; clockwise | counterclockwise anticlockwise;
absolute | relative; abstract | concrete; explicit explicitly | implicit implicitly; primary | secondary; arrival |
departure; introduction | conclusion; predecessor | successor; similar similarity | dissimilar different difference;
equal equality | unequal inequality; all every whole entire entirely | some part partial partly; whole | half; former
| latter; past | future; wealth prosperity | poverty; wealthy | poor; good virtue | evil vice; software | hardware;
physical bodily | mental spiritual; actual actually | potential potentially; gross | net; native indigenous | foreign
imported; establish established found founded | abolish abolished dissolve dissolved; preserve preserved protect
protected | destroy destroyed damage damaged; integrate integrated | segregate segregated; concentrate concentrated |
distribute distributed disperse dispersed dilute; cooperation cooperate | competition compete; retail | wholesale;
digital | analogue analog; ever | never; back backward | forward; manual manually | automatic automatically; visible |
invisible hidden; known | unknown; capable able | incapable unable; likely | unlikely; sufficient enough |
insufficient; complete completely | incomplete partial; aware | unaware; fixed | variable flexible movable; tight
strict strictly | loose lax; married | single divorced unmarried; voluntary | forced involuntary; peaceful | violent;
friendly | hostile; cheap cheaper cheapest inexpensive | expensive dear costly; hope | despair; honest | dishonest;
useful | useless; careful | careless; harmful | harmless; responsible | irresponsible; mature adult | immature
juvenile; upstream | downstream; landlocked | coastal; sunny | cloudy; plural | singular; plus | minus; high |
shallow; crowded | empty deserted; pure | impure mixed; raw | cooked; innovative | traditional conventional;
decentralized | centralized; literate | illiterate; mortal | immortal; conscious | unconscious; willing willingly |
unwilling reluctant reluctantly; general | specific particular
"""
# Opposites that may both be true of one event, depending on the subject, such as buyer and seller. They count as a
# difference only in the same position.
_CONVERSES = """
precede preceding previous previously | follow followed following subsequent subsequently; open opened opening | close
closed closing shut; enter entered entry arrive arrived arrival join joined | leave left exit depart departed
departure quit; win won victory victorious | lose lost defeat defeated; winner | loser; pass passed | fail failed;
attack attacked offensive | defend defended defensive defense defence; build built construct constructed create
created | destroy destroyed demolish demolished; appear appeared | disappear disappeared vanish vanished; love loved
like liked | hate hated dislike disliked; live lived alive living | dead die died; buy bought purchase purchased buyer
| sell sold sale seller; borrow borrowed borrower | lend lent lender; import imported importer | export exported
exporter; income revenue | expense expenditure cost; credit | debit; father | mother; employer | employee; teacher |
student pupil; parent | child children; add added addition | remove removed removal subtract; gain gained | lose lost;
save saved | spend spent waste wasted; push pushed | pull pulled; send sent | receive received; question | answer;
cause | effect; theory theoretical | practice practical; single | multiple; buyer | seller; supply | demand; ancestor
| descendant; host | guest; input | output; same identical | different other distinct unlike; single | double twin;
liquid | solid gaseous gas; find found discover | lose lost; give gave given donate | take took taken; show shown
reveal revealed display | hide hid hidden conceal concealed; heat heated heating | cool cooled cooling; spread
scattered | gathered collected; prevent prevented hinder | let allow cause; even | uneven odd; predator | prey; winner
| runner-up; creditor | debtor; landlord | tenant; doctor | patient; defendant prosecution | plaintiff defence
"""
_OPPOSITES_ZH = """
高 较高 更高 最高 | 低 较低 更低 最低 矮; 大 较大 更大 最大 巨大 | 小 较小 更小 最小 微小; 长 较长 更长 最长 | 短 较短
更短 最短; 多 较多 更多 最多 | 少 较少 更少 最少; 早 较早 更早 最早 早期 早于 提前 提早 | 晚 较晚 更晚 最晚 晚期 晚于
推迟 延后; 新 较新 最新 | 旧 老 最老 最旧; 年轻 年幼 | 年老 年长; 强 更强 最强 强大 | 弱 更弱 最弱 弱小; 快 更快 最快
快速 迅速 | 慢 更慢 最慢 缓慢; 热 炎热 温暖 | 冷 寒冷 凉爽; 轻 较轻 | 重 较重; 深 较深 最深 | 浅 较浅 最浅; 厚 | 薄;
宽 宽阔 | 窄 狭窄; 远 较远 最远 | 近 较近 最近 邻近; 好 更好 最好 良好 | 坏 差 更差 最差 恶劣; 富 富裕 富有 | 穷 贫穷
贫困; 简单 容易 | 复杂 困难; 增加 增长 上升 提高 提升 增多 扩大 上涨 升高 增强 增大 上调 扩张 增至 升至 | 减少 下降
降低 缩小 下跌 减弱 减小 下调 收缩 减至 降至 衰退 下滑; 扩大 | 缩小; 加强 增强 | 减弱 削弱; 改善 好转 | 恶化; 超过
多于 大于 高于 超出 | 不到 少于 小于 低于 不足; 至少 最少 不少于 | 至多 最多 不超过; 以上 | 以下; 之上 | 之下; 之前
以前 此前 | 之后 以后 此后 后来; 年前 月前 天前 日前 | 年后 月后 天后 日后; 前 | 后; 先 首先 | 后 最后; 上 | 下; 左 |
右; 内 内部 里面 国内 境内 | 外 外部 外面 国外 境外; 男 男性 男子 男人 | 女 女性 女子 女人; 父亲 父 | 母亲 母; 儿子 |
女儿; 哥哥 弟弟 兄弟 | 姐姐 妹妹 姐妹; 丈夫 | 妻子; 开始 起始 始于 展开 | 结束 终止 停止 终于; 开 打开 开放 开启 | 关
关闭 封闭; 第一 首次 首个 | 最后 末次; 成功 | 失败; 胜 胜利 获胜 赢 战胜 击败 打败 取胜 | 败 失败 落败 输 败给 战败
不敌; 公开 | 秘密 私下; 公立 公共 公有 国有 国营 | 私立 私人 私有 民营 私营; 合法 | 非法 违法; 允许 准许 许可 批准 |
禁止 不准 不许 否决; 支持 赞成 赞同 拥护 | 反对 抵制; 同意 | 反对 拒绝; 接受 接纳 | 拒绝 拒收; 承认 | 否认; 肯定 |
否定; 积极 主动 | 消极 被动; 正面 | 负面 反面; 优点 优势 长处 | 缺点 劣势 短处; 有利 利好 | 不利; 优于 好于 胜过 |
劣于 差于 不如; 利润 盈利 盈余 获利 | 亏损 赤字; 收入 | 支出; 进口 输入 | 出口 输出; 买 购买 买入 购入 买进 | 卖 出售
卖出 售出; 借入 | 借出; 加入 进入 参加 | 退出 离开; 到达 抵达 | 出发 离开; 出生 诞生 生于 | 去世 逝世 死亡 卒于 死于;
建立 成立 建造 创建 兴建 | 废除 解散 拆除 摧毁 撤销; 出现 | 消失; 增设 增添 添加 | 删除 移除 取消; 古代 古老 | 现代
近代; 传统 | 现代; 前期 初期 | 后期 末期; 前者 | 后者; 前任 | 继任 后任; 上半年 | 下半年; 上游 | 下游; 上午 | 下午;
白天 日间 | 夜间 夜晚 晚上; 主要 首要 | 次要; 多数 大多数 大部分 | 少数 小部分; 全部 所有 全体 | 部分 少部分; 总是
始终 一直 | 从不 从未; 经常 常常 常见 | 很少 罕见 偶尔; 永久 永远 长期 | 临时 暂时 短期; 直接 | 间接; 城市 城镇 市区 |
农村 乡村 郊区; 国内 本国 | 国外 外国; 安全 | 危险; 战争 | 和平; 朋友 盟友 | 敌人; 进攻 攻击 | 防守 防御; 著名 知名
有名 | 无名; 相同 一样 一致 | 不同 相反; 统一 合并 联合 | 分裂 分离 拆分; 真 真实 真正 | 假 虚假 虚构; 正确 | 错误;
必须 必需 | 可选 不必; 老师 教师 | 学生; 水平 横向 | 垂直 纵向; 奇数 | 偶数; 冬季 冬天 | 夏季 夏天; 春季 春天 | 秋季
秋天; 保守 | 激进 自由; 热带 | 寒带; 业余 | 职业 专业; 军事 | 民用; 天然 自然 | 人工 人造; 干燥 | 潮湿 湿润; 快乐 高兴
| 悲伤 难过; 喜欢 喜爱 热爱 | 讨厌 厌恶 憎恨; 有效 | 无效; 有限 | 无限; 有 | 无; 富 | 贫; 明 明亮 | 暗 黑暗; 满 | 空;
祖先 | 后代; 甲方 | 乙方; 前半 | 后半; 正 | 负; 阳 | 阴; 加 | 减; 乘 | 除; 升 | 降; 涨 | 跌; 进 | 退; 生 | 死; 真 | 伪
假; 善 | 恶; 敌 | 友; 攻 | 守; 昼 | 夜; 旱 | 涝; 动 | 静; 首 | 末 尾; 新增 | 减少 删除; 看涨 | 看跌; 债权 | 债务; 资产
| 负债; 软件 | 硬件; 批发 | 零售; 手动 | 自动; 可见 | 不可见; 单独 | 共同 一起; 独立 | 依赖 附属; 有害 有毒 | 无害
无毒; 沿海 | 内陆; 富 | 穷
"""
# Any two members of a series differ; they count as a difference only if the words around them are the same.
_SERIES = """
north south east west northeast northwest southeast southwest; northern southern eastern western northeastern
northwestern southeastern southwestern; spring summer autumn winter; monday tuesday wednesday thursday friday saturday
sunday; red blue green yellow black white brown orange purple pink grey; daily weekly monthly quarterly annually
yearly; gold silver bronze; morning noon afternoon evening night; father mother son daughter brother sister;
protestant catholic muslim jewish buddhist hindu christian; protestantism catholicism islam judaism buddhism hinduism
christianity; first second third fourth fifth sixth seventh eighth ninth tenth last; january february march april may
june july august september october november december; solid liquid gas; past present future; beginning middle end; top
middle bottom side; left right center; infantry cavalry artillery; bachelor master doctor; head neck shoulder
arm leg foot; mayor governor president king emperor minister; mother wife daughter sister; uncle nephew cousin
grandfather grandson; 东 南 西 北; 东部 南部 西部 北部 中部; 东南 东北 西南 西北; 东方 南方 西方 北方; 春 夏 秋 冬; 红
蓝 绿 黄 黑 白 紫 橙 灰; 金牌 银牌 铜牌; 冠军 亚军 季军; 每日 每周 每月 每年; 周一 周二 周三 周四 周五 周六 周日;
星期一 星期二 星期三 星期四 星期五 星期六 星期日; 上旬 中旬 下旬; 早上 中午 下午 晚上; 小学 中学 大学; 省 市 县; 第一
第二 第三 第四 第五 第六 第七 第八 第九 第十; 红色 蓝色 绿色 黄色 黑色 白色; 过去 现在 未来; 固体 液体 气体; 总统 总理
国王 皇帝 首相; 祖父 父亲 叔叔 哥哥 弟弟 儿子 孙子
"""
# Prefixes that negate a word.
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non")
_SHORTEST = 4
_SIMPLIFIED_PAIRS = """
東东 數数 敗败 勝胜 開开 結结 滿满 內内 負负 優优 點点 進进 長长 強强 舊旧 許许 關关 國国 絕绝 簡简 單单 複杂 雜杂
貧贫 窮穷 險险 積积 極极 親亲 熱热 減减 無无 萬万 億亿 個个 時时 鐘钟 歲岁 對对 過过 變变 為为 認认 覺觉 現现 獲获
稱称 後后 與与 間间 區区 華华 歐欧 噸吨 擴扩 縮缩 於于 臨临 農农 贏赢 輸输 聲声 應应 動动 從从 會会 沒没 並并 淺浅
輕轻 較较 寬宽 狹狭 遠远 壞坏 惡恶 漲涨 張张 調调 讓让 讚赞 贊赞 擁拥 護护 納纳 虧亏 損损 購购 買买 賣卖 達达 誕诞
廢废 毀毁 銷销 傳传 統统 遊游 晝昼 總总 終终 見见 暫暂 鄉乡 鎮镇 戰战 爭争 敵敌 禦御 樣样 離离 實实 虛虚 構构 確确
錯错 誤误 師师 學学 橫横 縱纵 當当 軍军 業业 乾干 濕湿 潤润 樂乐 傷伤 愛爱 厭厌 貴贵 紅红 藍蓝 綠绿 黃黄 銀银 銅铜
亞亚 週周 縣县 圓圆 幣币 釐厘 黨党 兒儿 別别 馬马 僅仅 論论 線线 帶带 嬰婴 號号 處处 機机 證证 據据 給给 視视 陽阳
陰阴 門门 馮冯 興兴 創创 導导 組组 織织 級级
"""
_SIMPLIFIED = str.maketrans({pair[0]: pair[1] for pair in _SIMPLIFIED_PAIRS.split()})


def fold_characters(text: str) -> str:
    """Return a text in lower case, with the traditional characters of the word lists replaced by simplified ones."""
    return text.lower().translate(_SIMPLIFIED)


@lru_cache(maxsize=4096)
def are_opposite(one: str, other: str) -> bool:
    """Return whether two folded words exclude each other in any position: high and low, possible and impossible."""
    if one == other:
        return False
    if any((group, 1 - side) in _sides(other) for group, side in _sides(one)):
        return True
    return one.isascii() and other.isascii() and (_denies(one, other) or _denies(other, one))


@lru_cache(maxsize=4096)
def are_converse(one: str, other: str) -> bool:
    """Return whether two folded words are opposites that may both be true of one event: bought and sold."""
    others = _CONVERSE_SIDES.get(_key(other), ())
    return any((group, 1 - side) in others for group, side in _CONVERSE_SIDES.get(_key(one), ()))


@lru_cache(maxsize=4096)
def in_same_series(one: str, other: str) -> bool:
    """Return whether two folded words are different members of one series: north and east, Monday and Friday."""
    return one != other and not _SERIES_OF[one].isdisjoint(_SERIES_OF[other])


def has_opposite(word: str) -> bool:
    """Return whether a folded word is in a group of opposites."""
    return bool(_sides(word))


def _sides(word: str) -> frozenset[tuple[int, int]]:
    # A word in -ly is not reduced to its stem: "finally" does not mean the last of something.
    return _SIDES.get(word) or (frozenset() if word.endswith("ly") else _SIDES.get(_key(word), frozenset()))


def _denies(long: str, short: str) -> bool:
    return len(short) >= _SHORTEST and any(long == prefix + short for prefix in _PREFIXES)


def _key(word: str) -> str:
    return stem(word) if word.isascii() else word


def _read(tables: Iterable[str]) -> dict[str, frozenset[tuple[int, int]]]:
    found: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for number, group in enumerate(group for table in tables for group in table.split(";")):
        for side, words in enumerate(group.split("|")):
            for word in words.split():
                found[word].add((number, side))
                found[_key(word)].add((number, side))
    return {word: frozenset(places) for word, places in found.items()}


_SIDES = _read((_OPPOSITES, _OPPOSITES_ZH, ANTONYMS_EN, ANTONYMS_ZH))
_CONVERSE_SIDES = _read((_CONVERSES,))
_SERIES_OF: defaultdict[str, set[int]] = defaultdict(set)
for _number, _line in enumerate(_SERIES.split(";")):
    for _word in _line.split():
        _SERIES_OF[_word].add(_number)
WORDS_ZH = frozenset(word for word in (*_SIDES, *_SERIES_OF) if not word.isascii() and len(word) > 1)
"""Chinese words of more than one character in the word lists."""
