import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { resourceResources } from './group.ts'

ruleTables(definitionOf(resourceResources, 'resourceclaims'), {
  object: `
metadata: {name: c}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: g.example}}, {name: f, firstAvailable: [{name: s, deviceClassName: g.example}]}]}}
`,
  status: [
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} -> status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}], config: [{source: FromClaim, opaque: {driver: g.example, parameters: {}}}]}}',
      'status.allocation: Invalid value: {"Devices":{"Results":[{"Request":"r","Driver":"g.example","Pool":…lector":null,"AllocationTimestamp":null}: field is immutable',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} -> -status.allocation',
      '-status.allocation',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, request: f/s}]}}',
      'status.allocation = {devices: {results: [{request: f/s, driver: g.example, pool: p, device: d}]}}',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, request: f}]}}',
      'status.allocation = {devices: {results: [{request: f, driver: g.example, pool: p, device: d}]}}',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, request: x}]}}',
      `status.allocation.devices.results[0].request: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'`,
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, request: a/b/c}]}}',
      `status.allocation.devices.results[0].request: Invalid value: "a/b/c": must be the name of a request …m or the name of a request and a subrequest separated by '/'`,
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, driver: "a b"}]}}',
      `status.allocation.devices.results[0].driver: Invalid value: "a b": a lowercase RFC 1123 subdomain mu…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, driver: ""}]}}',
      'status.allocation.devices.results[0].driver: Required value',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, pool: ""}]}}',
      'status.allocation.devices.results[0].pool: Required value',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, pool: A}]}}',
      `status.allocation.devices.results[0].pool: Invalid value: "A": a lowercase RFC 1123 subdomain must c…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, device: D}]}}',
      `status.allocation.devices.results[0].device: Invalid value: "D": a lowercase RFC 1123 label must con…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, shareID: 12345678-1234-1234-1234-123456789abc}]}}',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, shareID: "12345678-1234-1234-1234-123456789abc"}]}}',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, shareID: x}]}}',
      'status.allocation.devices.results[0].shareID: Invalid value: "x": error validating uid: invalid UUID length: 1',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, tolerations: [{key: k, operator: Odd}]}]}}',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, tolerations: [{key: k, operator: Odd}]}]}}',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, bindingFailureConditions: [a]}]}}',
      'status.allocation.devices.results[0].bindingConditions: Invalid value: null: bindingConditions are required to use bindingFailureConditions',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, adminAccess: true}]}}',
      'status.allocation.devices.results[0].adminAccess: Forbidden: admin access to devices requires the `r…tes.io/admin-access: true` label on the containing namespace',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, adminAccess: false}]}}',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d, adminAccess: false}]}}',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}], config: [{source: FromClaim, requests: [r], opaque: {driver: g.example, parameters: {}}}]}}',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}], confi…quests: [r], opaque: {driver: g.example, parameters: {}}}]}}',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}], config: [{source: FromClass, opaque: {driver: g.example, parameters: {}}}]}}',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}], confi…: FromClass, opaque: {driver: g.example, parameters: {}}}]}}',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}], config: [{opaque: {driver: g.example, parameters: {}}}]}}',
      'status.allocation.devices.config[0].source: Required value',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}], config: [{source: Odd, opaque: {driver: g.example, parameters: {}}}]}}',
      'status.allocation.devices.config[0].source: Unsupported value: "Odd": supported values: "FromClaim", "FromClass"',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}], config: [{source: FromClaim, requests: [x], opaque: {driver: g.example, parameters: {}}}]}}',
      `status.allocation.devices.config[0].requests[0]: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'`,
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}], config: [{source: FromClaim}]}}',
      'status.allocation.devices.config[0].opaque: Required value',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}], config: [{source: FromClaim, opaque: {driver: g.example, parameters: 5}}]}}',
      'status.allocation.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}], config: [{source: FromClaim, opaque: {driver: g.example, parameters: [1]}}]}}',
      'status.allocation.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d0}, {request: r, driver: g.example, pool: p, device: d1}, {request: r, driver: g.example, pool: p, device: d2}, {request: r, driver: g.example, pool: p, device: d3}, {request: r, driver: g.example, pool: p, device: d4}, {request: r, driver: g.example, pool: p, device: d5}, {request: r, driver: g.example, pool: p, device: d6}, {request: r, driver: g.example, pool: p, device: d7}, {request: r, driver: g.example, pool: p, device: d8}, {request: r, driver: g.example, pool: p, device: d9}, {request: r, driver: g.example, pool: p, device: d10}, {request: r, driver: g.example, pool: p, device: d11}, {request: r, driver: g.example, pool: p, device: d12}, {request: r, driver: g.example, pool: p, device: d13}, {request: r, driver: g.example, pool: p, device: d14}, {request: r, driver: g.example, pool: p, device: d15}, {request: r, driver: g.example, pool: p, device: d16}, {request: r, driver: g.example, pool: p, device: d17}, {request: r, driver: g.example, pool: p, device: d18}, {request: r, driver: g.example, pool: p, device: d19}, {request: r, driver: g.example, pool: p, device: d20}, {request: r, driver: g.example, pool: p, device: d21}, {request: r, driver: g.example, pool: p, device: d22}, {request: r, driver: g.example, pool: p, device: d23}, {request: r, driver: g.example, pool: p, device: d24}, {request: r, driver: g.example, pool: p, device: d25}, {request: r, driver: g.example, pool: p, device: d26}, {request: r, driver: g.example, pool: p, device: d27}, {request: r, driver: g.example, pool: p, device: d28}, {request: r, driver: g.example, pool: p, device: d29}, {request: r, driver: g.example, pool: p, device: d30}, {request: r, driver: g.example, pool: p, device: d31}]}}',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d0}, {requ…0}, {request: r, driver: g.example, pool: p, device: d31}]}}',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d0}, {request: r, driver: g.example, pool: p, device: d1}, {request: r, driver: g.example, pool: p, device: d2}, {request: r, driver: g.example, pool: p, device: d3}, {request: r, driver: g.example, pool: p, device: d4}, {request: r, driver: g.example, pool: p, device: d5}, {request: r, driver: g.example, pool: p, device: d6}, {request: r, driver: g.example, pool: p, device: d7}, {request: r, driver: g.example, pool: p, device: d8}, {request: r, driver: g.example, pool: p, device: d9}, {request: r, driver: g.example, pool: p, device: d10}, {request: r, driver: g.example, pool: p, device: d11}, {request: r, driver: g.example, pool: p, device: d12}, {request: r, driver: g.example, pool: p, device: d13}, {request: r, driver: g.example, pool: p, device: d14}, {request: r, driver: g.example, pool: p, device: d15}, {request: r, driver: g.example, pool: p, device: d16}, {request: r, driver: g.example, pool: p, device: d17}, {request: r, driver: g.example, pool: p, device: d18}, {request: r, driver: g.example, pool: p, device: d19}, {request: r, driver: g.example, pool: p, device: d20}, {request: r, driver: g.example, pool: p, device: d21}, {request: r, driver: g.example, pool: p, device: d22}, {request: r, driver: g.example, pool: p, device: d23}, {request: r, driver: g.example, pool: p, device: d24}, {request: r, driver: g.example, pool: p, device: d25}, {request: r, driver: g.example, pool: p, device: d26}, {request: r, driver: g.example, pool: p, device: d27}, {request: r, driver: g.example, pool: p, device: d28}, {request: r, driver: g.example, pool: p, device: d29}, {request: r, driver: g.example, pool: p, device: d30}, {request: r, driver: g.example, pool: p, device: d31}, {request: r, driver: g.example, pool: p, device: d32}]}}',
      'status.allocation.devices.results: Too many: 33: must have at most 32 items',
    ],
    [
      'status.allocation = {nodeSelector: {nodeSelectorTerms: []}}',
      'status.allocation.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
    [
      'status.allocation = {nodeSelector: {nodeSelectorTerms: [{}]}}',
      'status.allocation = {devices: {}, nodeSelector: {nodeSelectorTerms: [{}]}}',
    ],
    [
      'status.reservedFor = [{resource: pods, name: p, uid: u}]',
      'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.reservedFor = [{resource: pods, name: p, uid: u}]',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.reservedFor = [{resource: pods, name: p, uid: u}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.reservedFor = [{resource: pods, name: p, uid: u}, {resource: pods, name: q, uid: u}]',
      'status.reservedFor[1]: Duplicate value: "u"',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.reservedFor = [{}]',
      'status.reservedFor[0].resource: Required value',
      'status.reservedFor[0].name: Required value',
      'status.reservedFor[0].uid: Required value',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.reservedFor = [{resource: pods, name: p0, uid: u0}, {resource: pods, name: p1, uid: u1}, {resource: pods, name: p2, uid: u2}, {resource: pods, name: p3, uid: u3}, {resource: pods, name: p4, uid: u4}, {resource: pods, name: p5, uid: u5}, {resource: pods, name: p6, uid: u6}, {resource: pods, name: p7, uid: u7}, {resource: pods, name: p8, uid: u8}, {resource: pods, name: p9, uid: u9}, {resource: pods, name: p10, uid: u10}, {resource: pods, name: p11, uid: u11}, {resource: pods, name: p12, uid: u12}, {resource: pods, name: p13, uid: u13}, {resource: pods, name: p14, uid: u14}, {resource: pods, name: p15, uid: u15}, {resource: pods, name: p16, uid: u16}, {resource: pods, name: p17, uid: u17}, {resource: pods, name: p18, uid: u18}, {resource: pods, name: p19, uid: u19}, {resource: pods, name: p20, uid: u20}, {resource: pods, name: p21, uid: u21}, {resource: pods, name: p22, uid: u22}, {resource: pods, name: p23, uid: u23}, {resource: pods, name: p24, uid: u24}, {resource: pods, name: p25, uid: u25}, {resource: pods, name: p26, uid: u26}, {resource: pods, name: p27, uid: u27}, {resource: pods, name: p28, uid: u28}, {resource: pods, name: p29, uid: u29}, {resource: pods, name: p30, uid: u30}, {resource: pods, name: p31, uid: u31}, {resource: pods, name: p32, uid: u32}, {resource: pods, name: p33, uid: u33}, {resource: pods, name: p34, uid: u34}, {resource: pods, name: p35, uid: u35}, {resource: pods, name: p36, uid: u36}, {resource: pods, name: p37, uid: u37}, {resource: pods, name: p38, uid: u38}, {resource: pods, name: p39, uid: u39}, {resource: pods, name: p40, uid: u40}, {resource: pods, name: p41, uid: u41}, {resource: pods, name: p42, uid: u42}, {resource: pods, name: p43, uid: u43}, {resource: pods, name: p44, uid: u44}, {resource: pods, name: p45, uid: u45}, {resource: pods, name: p46, uid: u46}, {resource: pods, name: p47, uid: u47}, {resource: pods, name: p48, uid: u48}, {resource: pods, name: p49, uid: u49}, {resource: pods, name: p50, uid: u50}, {resource: pods, name: p51, uid: u51}, {resource: pods, name: p52, uid: u52}, {resource: pods, name: p53, uid: u53}, {resource: pods, name: p54, uid: u54}, {resource: pods, name: p55, uid: u55}, {resource: pods, name: p56, uid: u56}, {resource: pods, name: p57, uid: u57}, {resource: pods, name: p58, uid: u58}, {resource: pods, name: p59, uid: u59}, {resource: pods, name: p60, uid: u60}, {resource: pods, name: p61, uid: u61}, {resource: pods, name: p62, uid: u62}, {resource: pods, name: p63, uid: u63}, {resource: pods, name: p64, uid: u64}, {resource: pods, name: p65, uid: u65}, {resource: pods, name: p66, uid: u66}, {resource: pods, name: p67, uid: u67}, {resource: pods, name: p68, uid: u68}, {resource: pods, name: p69, uid: u69}, {resource: pods, name: p70, uid: u70}, {resource: pods, name: p71, uid: u71}, {resource: pods, name: p72, uid: u72}, {resource: pods, name: p73, uid: u73}, {resource: pods, name: p74, uid: u74}, {resource: pods, name: p75, uid: u75}, {resource: pods, name: p76, uid: u76}, {resource: pods, name: p77, uid: u77}, {resource: pods, name: p78, uid: u78}, {resource: pods, name: p79, uid: u79}, {resource: pods, name: p80, uid: u80}, {resource: pods, name: p81, uid: u81}, {resource: pods, name: p82, uid: u82}, {resource: pods, name: p83, uid: u83}, {resource: pods, name: p84, uid: u84}, {resource: pods, name: p85, uid: u85}, {resource: pods, name: p86, uid: u86}, {resource: pods, name: p87, uid: u87}, {resource: pods, name: p88, uid: u88}, {resource: pods, name: p89, uid: u89}, {resource: pods, name: p90, uid: u90}, {resource: pods, name: p91, uid: u91}, {resource: pods, name: p92, uid: u92}, {resource: pods, name: p93, uid: u93}, {resource: pods, name: p94, uid: u94}, {resource: pods, name: p95, uid: u95}, {resource: pods, name: p96, uid: u96}, {resource: pods, name: p97, uid: u97}, {resource: pods, name: p98, uid: u98}, {resource: pods, name: p99, uid: u99}, {resource: pods, name: p100, uid: u100}, {resource: pods, name: p101, uid: u101}, {resource: pods, name: p102, uid: u102}, {resource: pods, name: p103, uid: u103}, {resource: pods, name: p104, uid: u104}, {resource: pods, name: p105, uid: u105}, {resource: pods, name: p106, uid: u106}, {resource: pods, name: p107, uid: u107}, {resource: pods, name: p108, uid: u108}, {resource: pods, name: p109, uid: u109}, {resource: pods, name: p110, uid: u110}, {resource: pods, name: p111, uid: u111}, {resource: pods, name: p112, uid: u112}, {resource: pods, name: p113, uid: u113}, {resource: pods, name: p114, uid: u114}, {resource: pods, name: p115, uid: u115}, {resource: pods, name: p116, uid: u116}, {resource: pods, name: p117, uid: u117}, {resource: pods, name: p118, uid: u118}, {resource: pods, name: p119, uid: u119}, {resource: pods, name: p120, uid: u120}, {resource: pods, name: p121, uid: u121}, {resource: pods, name: p122, uid: u122}, {resource: pods, name: p123, uid: u123}, {resource: pods, name: p124, uid: u124}, {resource: pods, name: p125, uid: u125}, {resource: pods, name: p126, uid: u126}, {resource: pods, name: p127, uid: u127}, {resource: pods, name: p128, uid: u128}, {resource: pods, name: p129, uid: u129}, {resource: pods, name: p130, uid: u130}, {resource: pods, name: p131, uid: u131}, {resource: pods, name: p132, uid: u132}, {resource: pods, name: p133, uid: u133}, {resource: pods, name: p134, uid: u134}, {resource: pods, name: p135, uid: u135}, {resource: pods, name: p136, uid: u136}, {resource: pods, name: p137, uid: u137}, {resource: pods, name: p138, uid: u138}, {resource: pods, name: p139, uid: u139}, {resource: pods, name: p140, uid: u140}, {resource: pods, name: p141, uid: u141}, {resource: pods, name: p142, uid: u142}, {resource: pods, name: p143, uid: u143}, {resource: pods, name: p144, uid: u144}, {resource: pods, name: p145, uid: u145}, {resource: pods, name: p146, uid: u146}, {resource: pods, name: p147, uid: u147}, {resource: pods, name: p148, uid: u148}, {resource: pods, name: p149, uid: u149}, {resource: pods, name: p150, uid: u150}, {resource: pods, name: p151, uid: u151}, {resource: pods, name: p152, uid: u152}, {resource: pods, name: p153, uid: u153}, {resource: pods, name: p154, uid: u154}, {resource: pods, name: p155, uid: u155}, {resource: pods, name: p156, uid: u156}, {resource: pods, name: p157, uid: u157}, {resource: pods, name: p158, uid: u158}, {resource: pods, name: p159, uid: u159}, {resource: pods, name: p160, uid: u160}, {resource: pods, name: p161, uid: u161}, {resource: pods, name: p162, uid: u162}, {resource: pods, name: p163, uid: u163}, {resource: pods, name: p164, uid: u164}, {resource: pods, name: p165, uid: u165}, {resource: pods, name: p166, uid: u166}, {resource: pods, name: p167, uid: u167}, {resource: pods, name: p168, uid: u168}, {resource: pods, name: p169, uid: u169}, {resource: pods, name: p170, uid: u170}, {resource: pods, name: p171, uid: u171}, {resource: pods, name: p172, uid: u172}, {resource: pods, name: p173, uid: u173}, {resource: pods, name: p174, uid: u174}, {resource: pods, name: p175, uid: u175}, {resource: pods, name: p176, uid: u176}, {resource: pods, name: p177, uid: u177}, {resource: pods, name: p178, uid: u178}, {resource: pods, name: p179, uid: u179}, {resource: pods, name: p180, uid: u180}, {resource: pods, name: p181, uid: u181}, {resource: pods, name: p182, uid: u182}, {resource: pods, name: p183, uid: u183}, {resource: pods, name: p184, uid: u184}, {resource: pods, name: p185, uid: u185}, {resource: pods, name: p186, uid: u186}, {resource: pods, name: p187, uid: u187}, {resource: pods, name: p188, uid: u188}, {resource: pods, name: p189, uid: u189}, {resource: pods, name: p190, uid: u190}, {resource: pods, name: p191, uid: u191}, {resource: pods, name: p192, uid: u192}, {resource: pods, name: p193, uid: u193}, {resource: pods, name: p194, uid: u194}, {resource: pods, name: p195, uid: u195}, {resource: pods, name: p196, uid: u196}, {resource: pods, name: p197, uid: u197}, {resource: pods, name: p198, uid: u198}, {resource: pods, name: p199, uid: u199}, {resource: pods, name: p200, uid: u200}, {resource: pods, name: p201, uid: u201}, {resource: pods, name: p202, uid: u202}, {resource: pods, name: p203, uid: u203}, {resource: pods, name: p204, uid: u204}, {resource: pods, name: p205, uid: u205}, {resource: pods, name: p206, uid: u206}, {resource: pods, name: p207, uid: u207}, {resource: pods, name: p208, uid: u208}, {resource: pods, name: p209, uid: u209}, {resource: pods, name: p210, uid: u210}, {resource: pods, name: p211, uid: u211}, {resource: pods, name: p212, uid: u212}, {resource: pods, name: p213, uid: u213}, {resource: pods, name: p214, uid: u214}, {resource: pods, name: p215, uid: u215}, {resource: pods, name: p216, uid: u216}, {resource: pods, name: p217, uid: u217}, {resource: pods, name: p218, uid: u218}, {resource: pods, name: p219, uid: u219}, {resource: pods, name: p220, uid: u220}, {resource: pods, name: p221, uid: u221}, {resource: pods, name: p222, uid: u222}, {resource: pods, name: p223, uid: u223}, {resource: pods, name: p224, uid: u224}, {resource: pods, name: p225, uid: u225}, {resource: pods, name: p226, uid: u226}, {resource: pods, name: p227, uid: u227}, {resource: pods, name: p228, uid: u228}, {resource: pods, name: p229, uid: u229}, {resource: pods, name: p230, uid: u230}, {resource: pods, name: p231, uid: u231}, {resource: pods, name: p232, uid: u232}, {resource: pods, name: p233, uid: u233}, {resource: pods, name: p234, uid: u234}, {resource: pods, name: p235, uid: u235}, {resource: pods, name: p236, uid: u236}, {resource: pods, name: p237, uid: u237}, {resource: pods, name: p238, uid: u238}, {resource: pods, name: p239, uid: u239}, {resource: pods, name: p240, uid: u240}, {resource: pods, name: p241, uid: u241}, {resource: pods, name: p242, uid: u242}, {resource: pods, name: p243, uid: u243}, {resource: pods, name: p244, uid: u244}, {resource: pods, name: p245, uid: u245}, {resource: pods, name: p246, uid: u246}, {resource: pods, name: p247, uid: u247}, {resource: pods, name: p248, uid: u248}, {resource: pods, name: p249, uid: u249}, {resource: pods, name: p250, uid: u250}, {resource: pods, name: p251, uid: u251}, {resource: pods, name: p252, uid: u252}, {resource: pods, name: p253, uid: u253}, {resource: pods, name: p254, uid: u254}, {resource: pods, name: p255, uid: u255}]',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.reservedFor = [{resource: pods, name: p0, uid: u0}, {resource: pods, name: p1, uid: u1}, {res…: p254, uid: u254}, {resource: pods, name: p255, uid: u255}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.reservedFor = [{resource: pods, name: p0, uid: u0}, {resource: pods, name: p1, uid: u1}, {resource: pods, name: p2, uid: u2}, {resource: pods, name: p3, uid: u3}, {resource: pods, name: p4, uid: u4}, {resource: pods, name: p5, uid: u5}, {resource: pods, name: p6, uid: u6}, {resource: pods, name: p7, uid: u7}, {resource: pods, name: p8, uid: u8}, {resource: pods, name: p9, uid: u9}, {resource: pods, name: p10, uid: u10}, {resource: pods, name: p11, uid: u11}, {resource: pods, name: p12, uid: u12}, {resource: pods, name: p13, uid: u13}, {resource: pods, name: p14, uid: u14}, {resource: pods, name: p15, uid: u15}, {resource: pods, name: p16, uid: u16}, {resource: pods, name: p17, uid: u17}, {resource: pods, name: p18, uid: u18}, {resource: pods, name: p19, uid: u19}, {resource: pods, name: p20, uid: u20}, {resource: pods, name: p21, uid: u21}, {resource: pods, name: p22, uid: u22}, {resource: pods, name: p23, uid: u23}, {resource: pods, name: p24, uid: u24}, {resource: pods, name: p25, uid: u25}, {resource: pods, name: p26, uid: u26}, {resource: pods, name: p27, uid: u27}, {resource: pods, name: p28, uid: u28}, {resource: pods, name: p29, uid: u29}, {resource: pods, name: p30, uid: u30}, {resource: pods, name: p31, uid: u31}, {resource: pods, name: p32, uid: u32}, {resource: pods, name: p33, uid: u33}, {resource: pods, name: p34, uid: u34}, {resource: pods, name: p35, uid: u35}, {resource: pods, name: p36, uid: u36}, {resource: pods, name: p37, uid: u37}, {resource: pods, name: p38, uid: u38}, {resource: pods, name: p39, uid: u39}, {resource: pods, name: p40, uid: u40}, {resource: pods, name: p41, uid: u41}, {resource: pods, name: p42, uid: u42}, {resource: pods, name: p43, uid: u43}, {resource: pods, name: p44, uid: u44}, {resource: pods, name: p45, uid: u45}, {resource: pods, name: p46, uid: u46}, {resource: pods, name: p47, uid: u47}, {resource: pods, name: p48, uid: u48}, {resource: pods, name: p49, uid: u49}, {resource: pods, name: p50, uid: u50}, {resource: pods, name: p51, uid: u51}, {resource: pods, name: p52, uid: u52}, {resource: pods, name: p53, uid: u53}, {resource: pods, name: p54, uid: u54}, {resource: pods, name: p55, uid: u55}, {resource: pods, name: p56, uid: u56}, {resource: pods, name: p57, uid: u57}, {resource: pods, name: p58, uid: u58}, {resource: pods, name: p59, uid: u59}, {resource: pods, name: p60, uid: u60}, {resource: pods, name: p61, uid: u61}, {resource: pods, name: p62, uid: u62}, {resource: pods, name: p63, uid: u63}, {resource: pods, name: p64, uid: u64}, {resource: pods, name: p65, uid: u65}, {resource: pods, name: p66, uid: u66}, {resource: pods, name: p67, uid: u67}, {resource: pods, name: p68, uid: u68}, {resource: pods, name: p69, uid: u69}, {resource: pods, name: p70, uid: u70}, {resource: pods, name: p71, uid: u71}, {resource: pods, name: p72, uid: u72}, {resource: pods, name: p73, uid: u73}, {resource: pods, name: p74, uid: u74}, {resource: pods, name: p75, uid: u75}, {resource: pods, name: p76, uid: u76}, {resource: pods, name: p77, uid: u77}, {resource: pods, name: p78, uid: u78}, {resource: pods, name: p79, uid: u79}, {resource: pods, name: p80, uid: u80}, {resource: pods, name: p81, uid: u81}, {resource: pods, name: p82, uid: u82}, {resource: pods, name: p83, uid: u83}, {resource: pods, name: p84, uid: u84}, {resource: pods, name: p85, uid: u85}, {resource: pods, name: p86, uid: u86}, {resource: pods, name: p87, uid: u87}, {resource: pods, name: p88, uid: u88}, {resource: pods, name: p89, uid: u89}, {resource: pods, name: p90, uid: u90}, {resource: pods, name: p91, uid: u91}, {resource: pods, name: p92, uid: u92}, {resource: pods, name: p93, uid: u93}, {resource: pods, name: p94, uid: u94}, {resource: pods, name: p95, uid: u95}, {resource: pods, name: p96, uid: u96}, {resource: pods, name: p97, uid: u97}, {resource: pods, name: p98, uid: u98}, {resource: pods, name: p99, uid: u99}, {resource: pods, name: p100, uid: u100}, {resource: pods, name: p101, uid: u101}, {resource: pods, name: p102, uid: u102}, {resource: pods, name: p103, uid: u103}, {resource: pods, name: p104, uid: u104}, {resource: pods, name: p105, uid: u105}, {resource: pods, name: p106, uid: u106}, {resource: pods, name: p107, uid: u107}, {resource: pods, name: p108, uid: u108}, {resource: pods, name: p109, uid: u109}, {resource: pods, name: p110, uid: u110}, {resource: pods, name: p111, uid: u111}, {resource: pods, name: p112, uid: u112}, {resource: pods, name: p113, uid: u113}, {resource: pods, name: p114, uid: u114}, {resource: pods, name: p115, uid: u115}, {resource: pods, name: p116, uid: u116}, {resource: pods, name: p117, uid: u117}, {resource: pods, name: p118, uid: u118}, {resource: pods, name: p119, uid: u119}, {resource: pods, name: p120, uid: u120}, {resource: pods, name: p121, uid: u121}, {resource: pods, name: p122, uid: u122}, {resource: pods, name: p123, uid: u123}, {resource: pods, name: p124, uid: u124}, {resource: pods, name: p125, uid: u125}, {resource: pods, name: p126, uid: u126}, {resource: pods, name: p127, uid: u127}, {resource: pods, name: p128, uid: u128}, {resource: pods, name: p129, uid: u129}, {resource: pods, name: p130, uid: u130}, {resource: pods, name: p131, uid: u131}, {resource: pods, name: p132, uid: u132}, {resource: pods, name: p133, uid: u133}, {resource: pods, name: p134, uid: u134}, {resource: pods, name: p135, uid: u135}, {resource: pods, name: p136, uid: u136}, {resource: pods, name: p137, uid: u137}, {resource: pods, name: p138, uid: u138}, {resource: pods, name: p139, uid: u139}, {resource: pods, name: p140, uid: u140}, {resource: pods, name: p141, uid: u141}, {resource: pods, name: p142, uid: u142}, {resource: pods, name: p143, uid: u143}, {resource: pods, name: p144, uid: u144}, {resource: pods, name: p145, uid: u145}, {resource: pods, name: p146, uid: u146}, {resource: pods, name: p147, uid: u147}, {resource: pods, name: p148, uid: u148}, {resource: pods, name: p149, uid: u149}, {resource: pods, name: p150, uid: u150}, {resource: pods, name: p151, uid: u151}, {resource: pods, name: p152, uid: u152}, {resource: pods, name: p153, uid: u153}, {resource: pods, name: p154, uid: u154}, {resource: pods, name: p155, uid: u155}, {resource: pods, name: p156, uid: u156}, {resource: pods, name: p157, uid: u157}, {resource: pods, name: p158, uid: u158}, {resource: pods, name: p159, uid: u159}, {resource: pods, name: p160, uid: u160}, {resource: pods, name: p161, uid: u161}, {resource: pods, name: p162, uid: u162}, {resource: pods, name: p163, uid: u163}, {resource: pods, name: p164, uid: u164}, {resource: pods, name: p165, uid: u165}, {resource: pods, name: p166, uid: u166}, {resource: pods, name: p167, uid: u167}, {resource: pods, name: p168, uid: u168}, {resource: pods, name: p169, uid: u169}, {resource: pods, name: p170, uid: u170}, {resource: pods, name: p171, uid: u171}, {resource: pods, name: p172, uid: u172}, {resource: pods, name: p173, uid: u173}, {resource: pods, name: p174, uid: u174}, {resource: pods, name: p175, uid: u175}, {resource: pods, name: p176, uid: u176}, {resource: pods, name: p177, uid: u177}, {resource: pods, name: p178, uid: u178}, {resource: pods, name: p179, uid: u179}, {resource: pods, name: p180, uid: u180}, {resource: pods, name: p181, uid: u181}, {resource: pods, name: p182, uid: u182}, {resource: pods, name: p183, uid: u183}, {resource: pods, name: p184, uid: u184}, {resource: pods, name: p185, uid: u185}, {resource: pods, name: p186, uid: u186}, {resource: pods, name: p187, uid: u187}, {resource: pods, name: p188, uid: u188}, {resource: pods, name: p189, uid: u189}, {resource: pods, name: p190, uid: u190}, {resource: pods, name: p191, uid: u191}, {resource: pods, name: p192, uid: u192}, {resource: pods, name: p193, uid: u193}, {resource: pods, name: p194, uid: u194}, {resource: pods, name: p195, uid: u195}, {resource: pods, name: p196, uid: u196}, {resource: pods, name: p197, uid: u197}, {resource: pods, name: p198, uid: u198}, {resource: pods, name: p199, uid: u199}, {resource: pods, name: p200, uid: u200}, {resource: pods, name: p201, uid: u201}, {resource: pods, name: p202, uid: u202}, {resource: pods, name: p203, uid: u203}, {resource: pods, name: p204, uid: u204}, {resource: pods, name: p205, uid: u205}, {resource: pods, name: p206, uid: u206}, {resource: pods, name: p207, uid: u207}, {resource: pods, name: p208, uid: u208}, {resource: pods, name: p209, uid: u209}, {resource: pods, name: p210, uid: u210}, {resource: pods, name: p211, uid: u211}, {resource: pods, name: p212, uid: u212}, {resource: pods, name: p213, uid: u213}, {resource: pods, name: p214, uid: u214}, {resource: pods, name: p215, uid: u215}, {resource: pods, name: p216, uid: u216}, {resource: pods, name: p217, uid: u217}, {resource: pods, name: p218, uid: u218}, {resource: pods, name: p219, uid: u219}, {resource: pods, name: p220, uid: u220}, {resource: pods, name: p221, uid: u221}, {resource: pods, name: p222, uid: u222}, {resource: pods, name: p223, uid: u223}, {resource: pods, name: p224, uid: u224}, {resource: pods, name: p225, uid: u225}, {resource: pods, name: p226, uid: u226}, {resource: pods, name: p227, uid: u227}, {resource: pods, name: p228, uid: u228}, {resource: pods, name: p229, uid: u229}, {resource: pods, name: p230, uid: u230}, {resource: pods, name: p231, uid: u231}, {resource: pods, name: p232, uid: u232}, {resource: pods, name: p233, uid: u233}, {resource: pods, name: p234, uid: u234}, {resource: pods, name: p235, uid: u235}, {resource: pods, name: p236, uid: u236}, {resource: pods, name: p237, uid: u237}, {resource: pods, name: p238, uid: u238}, {resource: pods, name: p239, uid: u239}, {resource: pods, name: p240, uid: u240}, {resource: pods, name: p241, uid: u241}, {resource: pods, name: p242, uid: u242}, {resource: pods, name: p243, uid: u243}, {resource: pods, name: p244, uid: u244}, {resource: pods, name: p245, uid: u245}, {resource: pods, name: p246, uid: u246}, {resource: pods, name: p247, uid: u247}, {resource: pods, name: p248, uid: u248}, {resource: pods, name: p249, uid: u249}, {resource: pods, name: p250, uid: u250}, {resource: pods, name: p251, uid: u251}, {resource: pods, name: p252, uid: u252}, {resource: pods, name: p253, uid: u253}, {resource: pods, name: p254, uid: u254}, {resource: pods, name: p255, uid: u255}, {resource: pods, name: p256, uid: u256}]',
      'status.reservedFor: Too many: 257: must have at most 256 items',
    ],
    [
      'metadata.deletionTimestamp = "2026-01-01T00:00:00Z" && metadata.deletionGracePeriodSeconds = 0 && status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} -> status.reservedFor = [{resource: pods, name: p, uid: u}]',
      'status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
    ],
    [
      'metadata.deletionTimestamp = "2026-01-01T00:00:00Z" && metadata.deletionGracePeriodSeconds = 0 && status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.reservedFor = [{resource: pods, name: p, uid: u}] -> status.devices = []',
    ],
    [
      'status.devices = [{driver: g.example, pool: p, device: d}]',
      'status.devices[0]: Invalid value: {"Driver":"g.example","Pool":"p","Device":"d","ShareID":""}: must be an allocated device in the claim',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, }]',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.devices = [{driver: g.example, pool: p, device: d, conditions: null}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, shareID: 12345678-1234-1234-1234-123456789abc}]',
      'status.devices[0]: Invalid value: {"Driver":"g.example","Pool":"p","Device":"d","ShareID":"12345678-…234-123456789abc"}: must be an allocated device in the claim',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d}, {driver: g.example, pool: p, device: d}]',
      'status.devices[1]: Duplicate value: {"Driver":"g.example","Pool":"p","Device":"d","ShareID":""}',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: Ready, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}]}]',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: Ready, status: "True",…tionTime: "2026-01-01T00:00:00Z", reason: R, message: ""}]}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: "a b", status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}]}]',
      `status.devices[0].conditions[0].type: Invalid value: "a b": name part must consist of alphanumeric c…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: A, status: Odd, reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}]}]',
      'status.devices[0].conditions[0].status: Unsupported value: "Odd": supported values: "False", "True", "Unknown"',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: A, status: "True", reason: R}]}]',
      'status.devices[0].conditions[0].lastTransitionTime: Required value',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: A, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]}]',
      'status.devices[0].conditions[0].reason: Required value',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: A, status: "True", reason: "1", lastTransitionTime: "2026-01-01T00:00:00Z"}]}]',
      `status.devices[0].conditions[0].reason: Invalid value: "1": a condition reason must start with alpha… for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')`,
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: A, status: "True", reason: "R,", lastTransitionTime: "2026-01-01T00:00:00Z"}]}]',
      `status.devices[0].conditions[0].reason: Invalid value: "R,": a condition reason must start with alph… for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')`,
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: A, status: "True", reason: "R:a,b_", lastTransitionTime: "2026-01-01T00:00:00Z"}]}]',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: A, status: "True", las…e: "2026-01-01T00:00:00Z", reason: "R:a,b_", message: ""}]}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: A, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: -1}]}]',
      'status.devices[0].conditions[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: A, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 0}]}]',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: A, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: R, message: ""}]}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: A, status: "True", reason: RRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRR, lastTransitionTime: "2026-01-01T00:00:00Z"}]}]',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: A, status: "True", las…e: "2026-01-01T00:00:00Z", reason: R × 1024, message: ""}]}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: A, status: "True", reason: RRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRR, lastTransitionTime: "2026-01-01T00:00:00Z"}]}]',
      'status.devices[0].conditions[0].reason: Too long: may not be more than 1024 bytes',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: Ready, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}]}] && status.devices[0].conditions[0].message = x × 32768',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: Ready, status: "True",…e: "2026-01-01T00:00:00Z", reason: R, message: x × 32768}]}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: Ready, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}]}] && status.devices[0].conditions[0].message = x × 32769',
      'status.devices[0].conditions[0].message: Too long: may not be more than 32768 bytes',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: Ready, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Ready, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}]}]',
      'status.devices[0].conditions[1].type: Duplicate value: "Ready"',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: R0, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R1, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R2, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R3, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R4, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R5, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R6, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R7, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}]}]',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: R0, status: "True", la…tionTime: "2026-01-01T00:00:00Z", reason: R, message: ""}]}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, conditions: [{type: R0, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R1, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R2, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R3, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R4, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R5, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R6, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R7, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: R8, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z"}]}]',
      'status.devices[0].conditions: Too many: 9: must have at most 8 items',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, data: {a: b}}]',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.devices = [{driver: g.example, pool: p, device: d, conditions: null, data: {a: b}}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, data: [1]}]',
      'status.devices[0].data: Invalid value: "<value omitted>": must be a valid JSON object',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, data: {}}] && status.devices[0].data.a = x × 10232',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.devices = [{driver: g.example, pool: p, device: d, conditions: null, data: {a: x × 10232}}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, data: {}}] && status.devices[0].data.a = x × 10233',
      'status.devices[0].data: Too long: may not be more than 10240 bytes',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, networkData: {interfaceName: e, ips: [10.0.0.1/8], hardwareAddress: h}}]',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.devices = [{driver: g.example, pool: p, device: d, conditions: null, networkData: {interfaceName: e, ips: ["10.0.0.1/8"], hardwareAddress: h}}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, networkData: {ips: [10.0.0.1]}}]',
      'status.devices[0].networkData.ips[0]: Invalid value: "10.0.0.1": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, networkData: {ips: ["fd00:0::1/64"]}}]',
      'status.devices[0].networkData.ips[0]: Invalid value: "fd00:0::1/64": must be in canonical form ("fd00::1/64")',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, networkData: {ips: ["fd00::1/64"]}}]',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.devices = [{driver: g.example, pool: p, device: d, conditions: null, networkData: {ips: ["fd00::1/64"]}}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, networkData: {ips: ["::ffff:10.0.0.1/120"]}}]',
      'status.devices[0].networkData.ips[0]: Invalid value: "::ffff:10.0.0.1/120": must be in canonical form ("10.0.0.1/24")',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, networkData: {ips: [10.0.0.1/8, 10.0.0.1/8]}}]',
      'status.devices[0].networkData.ips[1]: Duplicate value: "10.0.0.1/8"',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, networkData: {ips: [10.0.0.0/8, 10.0.0.1/8, 10.0.0.2/8, 10.0.0.3/8, 10.0.0.4/8, 10.0.0.5/8, 10.0.0.6/8, 10.0.0.7/8, 10.0.0.8/8, 10.0.0.9/8, 10.0.0.10/8, 10.0.0.11/8, 10.0.0.12/8, 10.0.0.13/8, 10.0.0.14/8, 10.0.0.15/8]}}]',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.devices = [{driver: g.example, pool: p, device: d, conditions: null, networkData: {ips: ["10.…0.0.0.12/8", "10.0.0.13/8", "10.0.0.14/8", "10.0.0.15/8"]}}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, networkData: {ips: [10.0.0.0/8, 10.0.0.1/8, 10.0.0.2/8, 10.0.0.3/8, 10.0.0.4/8, 10.0.0.5/8, 10.0.0.6/8, 10.0.0.7/8, 10.0.0.8/8, 10.0.0.9/8, 10.0.0.10/8, 10.0.0.11/8, 10.0.0.12/8, 10.0.0.13/8, 10.0.0.14/8, 10.0.0.15/8, 10.0.0.16/8]}}]',
      'status.devices[0].networkData.ips: Too many: 17: must have at most 16 items',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, networkData: {interfaceName: eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee, hardwareAddress: hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh}}]',
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}}',
      'status.devices = [{driver: g.example, pool: p, device: d, conditions: null, networkData: {interfaceName: e × 256, hardwareAddress: h × 128}}]',
    ],
    [
      'status.allocation = {devices: {results: [{request: r, driver: g.example, pool: p, device: d}]}} && status.devices = [{driver: g.example, pool: p, device: d, networkData: {interfaceName: eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee, hardwareAddress: hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh}}]',
      'status.devices[0].networkData.interfaceName: Too long: may not be more than 256 bytes',
      'status.devices[0].networkData.hardwareAddress: Too long: may not be more than 128 bytes',
    ],
  ],
})
