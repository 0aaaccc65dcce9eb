"""Further pairs of opposites of general vocabulary, read by opposites.py.

Groups, with a bar between their two sides.

Chosen as well-known antonyms of general vocabulary; their author knew the words that claim_edits.py exchanges, so
that its figure for opposites flatters them. Only words that exclude each other of one and the same thing; a word with
a second common meaning is left out.
"""

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
