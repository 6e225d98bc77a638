import { ruleTables } from '../rule-table.contract.ts'
import { resourceSlices } from './resourceslices.ts'

ruleTables(resourceSlices, {
  gates: ['DRAListTypeAttributes'],
  object: `
metadata: {name: s}
spec: {driver: g.example, nodeName: m, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: d}]}
`,
  create: [
    [
      'spec.devices[0].capacity = {m: {value: "10", requestPolicy: {default: "1"}}}',
      'spec.devices[0].capacity[m].requestPolicy: Forbidden: allowMultipleAllocations must be true',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {}}}',
      'spec.devices[0].capacity.m.requestPolicy.default = null',
    ],
    ['spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {default: "2"}}}'],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validValues: ["1", "2"], default: "2"}}}',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validValues: ["1", "2"]}}}',
      'spec.devices[0].capacity[m].requestPolicy.default: Required value: required when validValues is defined',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validValues: ["2", "1"], default: "2"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validValues[1]: Invalid value: "1": values must be sorted in ascending order',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validValues: ["1", "2"], default: "3"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validValues: Invalid value: "3": default value is not valid according to the requestPolicy',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validValues: ["1", "20"], default: "1"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validValues[1]: Invalid value: "20": option is larger than capacity value: 10',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validValues: ["1", "10"], default: "1"}}}',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validValues: ["1", "1"], default: "1"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validValues[1]: Duplicate value: "1"',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validValues: ["1"], validRange: {min: "1"}, default: "1"}}}',
      'spec.devices[0].capacity[m].requestPolicy: Forbidden: exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "20", requestPolicy: {validValues: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"], default: "1"}}}',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "20", requestPolicy: {validValues: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"], default: "1"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validValues: Too many: 11: must have at most 10 items',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "1"}, default: "1"}}}',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "1"}}}}',
      'spec.devices[0].capacity[m].requestPolicy.default: Required value: required when validRange is defined',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {}, default: "1"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validRange.min: Required value: required when validRange is defined',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "11"}, default: "11"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validRange.min: Invalid value: "11": min is larger than capacity value: 10',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "10"}, default: "10"}}}',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "2"}, default: "1"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validRange.min: Invalid value: "1": default is less than min: 2',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "2", max: "1"}, default: "2"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validRange.max: Invalid value: "2": min is larger than max: 1',
      'spec.devices[0].capacity[m].requestPolicy.validRange.max: Invalid value: "2": default is more than max: 1',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "2", max: "2"}, default: "2"}}}',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "1", max: "11"}, default: "2"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validRange.max: Invalid value: "11": max is larger than capacity value: 10',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "1", max: "10"}, default: "2"}}}',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "1", max: "4"}, default: "5"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validRange.max: Invalid value: "5": default is more than max: 4',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "1", step: "0"}, default: "1"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "0": must be greater than zero',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "1", step: "-1"}, default: "1"}}}',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "1", step: "2"}, default: "3"}}}',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "1", step: "2"}, default: "4"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "4": value is not a multiple of a given step (2) from (1)',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "1", max: "5", step: "2"}, default: "3"}}}',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "1", max: "6", step: "2"}, default: "3"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "6": value is not a multiple of a given step (2) from (1)',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "1", step: "9"}, default: "1"}}}',
    ],
    [
      'spec.devices[0].allowMultipleAllocations = true && spec.devices[0].capacity = {m: {value: "10", requestPolicy: {validRange: {min: "1", step: "10"}, default: "1"}}}',
      'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "10": one step 11 is larger than capacity value: 10',
    ],
    [
      'spec.devices[0].nodeName = m',
      'spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    ],
    ['-spec.nodeName && spec.perDeviceNodeSelection = true && spec.devices[0].nodeName = m'],
    [
      '-spec.nodeName && spec.perDeviceNodeSelection = true && spec.devices[0].nodeName = ""',
      'spec.devices[0].nodeName: Invalid value: "": must not be empty',
      'spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is require…eviceNodeSelection` is set to true in the ResourceSlice spec',
    ],
    [
      '-spec.nodeName && spec.perDeviceNodeSelection = true && spec.devices[0].nodeName = A',
      `spec.devices[0].nodeName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower c…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['-spec.nodeName && spec.perDeviceNodeSelection = true && spec.devices[0].allNodes = true'],
    [
      '-spec.nodeName && spec.perDeviceNodeSelection = true && spec.devices[0].allNodes = false',
      'spec.devices[0].allNodes: Invalid value: false: must be either unset or set to true',
      'spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is require…eviceNodeSelection` is set to true in the ResourceSlice spec',
    ],
    [
      '-spec.nodeName && spec.perDeviceNodeSelection = true && spec.devices[0].nodeSelector = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}',
    ],
    [
      '-spec.nodeName && spec.perDeviceNodeSelection = true && spec.devices[0].nodeSelector = {nodeSelectorTerms: []}',
      'spec.devices[0].nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
    [
      '-spec.nodeName && spec.perDeviceNodeSelection = true && spec.devices[0].nodeName = m && spec.devices[0].allNodes = true',
      'spec.devices[0]: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector…eviceNodeSelection` is set to true in the ResourceSlice spec',
    ],
    [
      '-spec.nodeName && spec.perDeviceNodeSelection = true',
      'spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is require…eviceNodeSelection` is set to true in the ResourceSlice spec',
    ],
    [
      'spec.perDeviceNodeSelection = true',
      'spec: Invalid value: "{`nodeName`, `perDeviceNodeSelection`}": exactly one of `nodeName`, `nodeSelec…eviceNodeSelection` is required, but multiple fields are set',
      'spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is require…eviceNodeSelection` is set to true in the ResourceSlice spec',
    ],
    [
      '-spec.nodeName && spec.perDeviceNodeSelection = false',
      'spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true',
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ],
    ['-spec.nodeName && spec.allNodes = true'],
    [
      '-spec.nodeName && spec.allNodes = false',
      'spec.allNodes: Invalid value: false: must be either unset or set to true',
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ],
    [
      'spec.nodeName = ""',
      'spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string',
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ],
    [
      'spec.nodeName = A',
      `spec.nodeName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanu…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['-spec.nodeName && spec.nodeSelector = {nodeSelectorTerms: [{}]}'],
    [
      '-spec.nodeName && spec.nodeSelector = {nodeSelectorTerms: [{}, {}]}',
      'spec.nodeSelector.nodeSelectorTerms: Invalid value: [{"MatchExpressions":null,"MatchFields":null},{"…atchFields":null}]: must have exactly one node selector term',
    ],
    [
      '-spec.nodeName && spec.nodeSelector = {}',
      'spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term',
      'spec.nodeSelector.nodeSelectorTerms: Invalid value: null: must have exactly one node selector term',
    ],
    [
      'spec.sharedCounters = [{name: c, counters: {m: {value: "1"}}}]',
      'spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed',
    ],
    ['-spec.devices && spec.sharedCounters = [{name: "", counters: {m: {value: "1"}}}]', 'spec.sharedCounters[0].name: Required value'],
    [
      '-spec.devices && spec.sharedCounters = [{name: C, counters: {m: {value: "1"}}}]',
      `spec.sharedCounters[0].name: Invalid value: "C": a lowercase RFC 1123 label must consist of lower ca…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      '-spec.devices && spec.sharedCounters = [{name: c, counters: {M: {value: "1"}}}]',
      `spec.sharedCounters[0].counters: Invalid value: "M": a lowercase RFC 1123 label must consist of lowe…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      '-spec.devices && spec.sharedCounters = [{name: c, counters: {m0: {value: "1"}, m1: {value: "1"}, m2: {value: "1"}, m3: {value: "1"}, m4: {value: "1"}, m5: {value: "1"}, m6: {value: "1"}, m7: {value: "1"}, m8: {value: "1"}, m9: {value: "1"}, m10: {value: "1"}, m11: {value: "1"}, m12: {value: "1"}, m13: {value: "1"}, m14: {value: "1"}, m15: {value: "1"}, m16: {value: "1"}, m17: {value: "1"}, m18: {value: "1"}, m19: {value: "1"}, m20: {value: "1"}, m21: {value: "1"}, m22: {value: "1"}, m23: {value: "1"}, m24: {value: "1"}, m25: {value: "1"}, m26: {value: "1"}, m27: {value: "1"}, m28: {value: "1"}, m29: {value: "1"}, m30: {value: "1"}, m31: {value: "1"}}}]',
    ],
    [
      '-spec.devices && spec.sharedCounters = [{name: c, counters: {m0: {value: "1"}, m1: {value: "1"}, m2: {value: "1"}, m3: {value: "1"}, m4: {value: "1"}, m5: {value: "1"}, m6: {value: "1"}, m7: {value: "1"}, m8: {value: "1"}, m9: {value: "1"}, m10: {value: "1"}, m11: {value: "1"}, m12: {value: "1"}, m13: {value: "1"}, m14: {value: "1"}, m15: {value: "1"}, m16: {value: "1"}, m17: {value: "1"}, m18: {value: "1"}, m19: {value: "1"}, m20: {value: "1"}, m21: {value: "1"}, m22: {value: "1"}, m23: {value: "1"}, m24: {value: "1"}, m25: {value: "1"}, m26: {value: "1"}, m27: {value: "1"}, m28: {value: "1"}, m29: {value: "1"}, m30: {value: "1"}, m31: {value: "1"}, m32: {value: "1"}}}]',
      'spec.sharedCounters[0].counters: Too many: 33: must have at most 32 items',
    ],
    [
      '-spec.devices && spec.sharedCounters = [{name: c, counters: {m: {value: "1"}}}, {name: c, counters: {m: {value: "1"}}}]',
      'spec.sharedCounters[1]: Duplicate value: "c"',
    ],
    ['spec.devices[0].consumesCounters = [{counterSet: c, counters: {m: {value: "1"}}}]'],
    [
      'spec.devices[0].consumesCounters = [{counters: {m: {value: "1"}}}]',
      'spec.devices[0].consumesCounters[0].counterSet: Required value',
    ],
    ['spec.devices[0].consumesCounters = [{counterSet: c}]', 'spec.devices[0].consumesCounters[0].counters: Required value'],
    [
      'spec.devices[0].consumesCounters = [{counterSet: c, counters: {m: {value: "1"}}}, {counterSet: c, counters: {m: {value: "1"}}}]',
      'spec.devices[0].consumesCounters[1]: Duplicate value: "c"',
    ],
    ['spec.devices[0].attributes = {a: {string: x}}'],
    [
      'spec.devices[0].attributes = {a: {strings: []}}',
      'spec.devices[0].attributes[a].strings: Invalid value: []: must not be empty if specified',
    ],
    [
      'spec.devices[0].attributes = {a: {ints: [1], bools: [true]}}',
      'spec.devices[0].attributes[a]: Invalid value: {"IntValue":null,"BoolValue":null,"StringValue":null,"…l,"VersionValues":null}: exactly one value must be specified',
    ],
    ['spec.devices[0].attributes = {a/b/c: {int: 1}}'],
    ['spec.devices[0].attributes = {/b: {int: 1}}', 'spec.devices[0].attributes: Invalid value: "": the domain must not be empty'],
    ['spec.devices[0].attributes = {a.b/: {int: 1}}', 'spec.devices[0].attributes: Invalid value: "": the name must not be empty'],
    ['spec.devices[0].attributes = {a.b/c: {int: 1}}'],
    [
      'spec.devices[0].attributes = {"a b": {int: 1}}',
      `spec.devices[0].attributes: Invalid value: "a b": a valid C identifier must start with alphabetic ch…ame', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')`,
    ],
    ['spec.devices[0].attributes = {aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: {int: 1}}'],
    [
      'spec.devices[0].attributes = {aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: {int: 1}}',
      'spec.devices[0].attributes: Too long: may not be more than 32 bytes',
    ],
    ['spec.devices[0].attributes = {a: {string: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}}'],
    [
      'spec.devices[0].attributes = {a: {string: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}}',
      'spec.devices[0].attributes[a].string: Too long: may not be more than 64 bytes',
    ],
    ['spec.devices[0].attributes = {a: {version: 1.2.3}}'],
    [
      'spec.devices[0].attributes = {a: {version: "1.2"}}',
      'spec.devices[0].attributes[a].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0',
    ],
    ['spec.devices[0].attributes = {a: {version: 1.2.3-rc.1+b}}'],
    [
      'spec.devices[0].attributes = {a: {versions: ["1.2", 1.2.3]}}',
      'spec.devices[0].attributes[a].versions[0]: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0',
    ],
    [
      'spec.devices[0].attributes = {a: {strings: [xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx]}}',
      'spec.devices[0].attributes[a].strings[0]: Too long: may not be more than 64 bytes',
    ],
    [
      'spec.devices[0].attributes = {a: {int: 1, string: x, bool: true, version: 1.2.3}}',
      'spec.devices[0].attributes[a]: Invalid value: {"IntValue":1,"BoolValue":true,"StringValue":"x","Vers…l,"VersionValues":null}: exactly one value must be specified',
    ],
    [
      'spec.devices[0].attributes = {a0: {int: 1}, a1: {int: 1}, a2: {int: 1}, a3: {int: 1}, a4: {int: 1}, a5: {int: 1}, a6: {int: 1}, a7: {int: 1}, a8: {int: 1}, a9: {int: 1}, a10: {int: 1}, a11: {int: 1}, a12: {int: 1}, a13: {int: 1}, a14: {int: 1}, a15: {int: 1}, a16: {int: 1}, a17: {int: 1}, a18: {int: 1}, a19: {int: 1}, a20: {int: 1}, a21: {int: 1}, a22: {int: 1}, a23: {int: 1}, a24: {int: 1}, a25: {int: 1}, a26: {int: 1}, a27: {int: 1}, a28: {int: 1}, a29: {int: 1}, a30: {int: 1}, a31: {int: 1}}',
    ],
    [
      'spec.devices[0].attributes = {a0: {int: 1}, a1: {int: 1}, a2: {int: 1}, a3: {int: 1}, a4: {int: 1}, a5: {int: 1}, a6: {int: 1}, a7: {int: 1}, a8: {int: 1}, a9: {int: 1}, a10: {int: 1}, a11: {int: 1}, a12: {int: 1}, a13: {int: 1}, a14: {int: 1}, a15: {int: 1}, a16: {int: 1}, a17: {int: 1}, a18: {int: 1}, a19: {int: 1}, a20: {int: 1}, a21: {int: 1}, a22: {int: 1}, a23: {int: 1}, a24: {int: 1}, a25: {int: 1}, a26: {int: 1}, a27: {int: 1}, a28: {int: 1}, a29: {int: 1}, a30: {int: 1}, a31: {int: 1}, a32: {int: 1}}',
      'spec.devices[0]: Invalid value: 33: the total number of attributes and capacities must not exceed 32',
    ],
    [
      'spec.devices[0].attributes = {a0: {int: 1}, a1: {int: 1}, a2: {int: 1}, a3: {int: 1}, a4: {int: 1}, a5: {int: 1}, a6: {int: 1}, a7: {int: 1}, a8: {int: 1}, a9: {int: 1}, a10: {int: 1}, a11: {int: 1}, a12: {int: 1}, a13: {int: 1}, a14: {int: 1}, a15: {int: 1}, a16: {int: 1}, a17: {int: 1}, a18: {int: 1}, a19: {int: 1}, a20: {int: 1}, a21: {int: 1}, a22: {int: 1}, a23: {int: 1}, a24: {int: 1}, a25: {int: 1}, a26: {int: 1}, a27: {int: 1}, a28: {int: 1}, a29: {int: 1}, a30: {int: 1}} && spec.devices[0].capacity = {c: {value: "1"}, d: {value: "1"}}',
      'spec.devices[0]: Invalid value: 33: the total number of attributes and capacities must not exceed 32',
    ],
    [
      'spec.devices[0].attributes = {a: {ints: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47]}}',
    ],
    [
      'spec.devices[0].attributes = {a: {ints: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48]}}',
      'spec.devices[0]: Invalid value: 49: the total number of attribute values must not exceed 48',
    ],
    ['spec.devices[0].taints = [{key: k, effect: NoSchedule}]', 'spec.devices[0].taints[0].timeAdded = "2026-01-01T00:00:00Z"'],
    [
      'spec.devices[0].taints = [{key: "a b", effect: NoSchedule}]',
      `spec.devices[0].taints[0].key: Invalid value: "a b": name part must consist of alphanumeric characte…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    ['spec.devices[0].taints = [{key: k}]', 'spec.devices[0].taints[0].effect: Required value'],
    [
      'spec.devices[0].taints = [{key: k, value: "a b", effect: Odd}]',
      `spec.devices[0].taints[0].value: Invalid value: "a b": a valid label must be an empty string or cons…validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'spec.devices[0].taints[0].effect: Unsupported value: "Odd": supported values: "NoExecute", "NoSchedule", "None"',
    ],
    [
      'spec.devices[0].taints = [{key: k0, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k1, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k2, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k3, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k4, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k5, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k6, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k7, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k8, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k9, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k10, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k11, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k12, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k13, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k14, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k15, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}]',
    ],
    [
      'spec.devices[0].taints = [{key: k0, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k1, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k2, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k3, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k4, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k5, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k6, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k7, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k8, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k9, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k10, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k11, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k12, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k13, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k14, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k15, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}, {key: k16, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}]',
      'spec.devices[0].taints: Too many: 17: must have at most 16 items',
    ],
    ['spec.devices[0].bindingConditions = [a] && spec.devices[0].bindingFailureConditions = [b]'],
    [
      'spec.devices[0].bindingConditions = [a]',
      'spec.devices[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions',
    ],
    [
      'spec.devices[0].bindingFailureConditions = [b]',
      'spec.devices[0].bindingConditions: Invalid value: null: bindingConditions are required to use bindingFailureConditions',
    ],
    [
      'spec.devices[0].bindingConditions = [a] && spec.devices[0].bindingFailureConditions = [a]',
      'spec.devices[0].bindingFailureConditions[0]: Invalid value: "a": bindingFailureConditions must not overlap with bindingConditions',
    ],
    [
      'spec.devices[0].bindingConditions = [a, a] && spec.devices[0].bindingFailureConditions = ["b c"]',
      'spec.devices[0].bindingConditions[1]: Duplicate value: "a"',
      `spec.devices[0].bindingFailureConditions[0]: Invalid value: "b c": name part must consist of alphanu…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.devices[0].bindingConditions = [a, b, c, d, e] && spec.devices[0].bindingFailureConditions = [f]',
      'spec.devices[0].bindingConditions: Too many: 5: must have at most 4 items',
    ],
    [
      'spec.devices = [{name: d0}, {name: d1}, {name: d2}, {name: d3}, {name: d4}, {name: d5}, {name: d6}, {name: d7}, {name: d8}, {name: d9}, {name: d10}, {name: d11}, {name: d12}, {name: d13}, {name: d14}, {name: d15}, {name: d16}, {name: d17}, {name: d18}, {name: d19}, {name: d20}, {name: d21}, {name: d22}, {name: d23}, {name: d24}, {name: d25}, {name: d26}, {name: d27}, {name: d28}, {name: d29}, {name: d30}, {name: d31}, {name: d32}, {name: d33}, {name: d34}, {name: d35}, {name: d36}, {name: d37}, {name: d38}, {name: d39}, {name: d40}, {name: d41}, {name: d42}, {name: d43}, {name: d44}, {name: d45}, {name: d46}, {name: d47}, {name: d48}, {name: d49}, {name: d50}, {name: d51}, {name: d52}, {name: d53}, {name: d54}, {name: d55}, {name: d56}, {name: d57}, {name: d58}, {name: d59}, {name: d60}, {name: d61}, {name: d62}, {name: d63}, {name: d64}, {name: d65}, {name: d66}, {name: d67}, {name: d68}, {name: d69}, {name: d70}, {name: d71}, {name: d72}, {name: d73}, {name: d74}, {name: d75}, {name: d76}, {name: d77}, {name: d78}, {name: d79}, {name: d80}, {name: d81}, {name: d82}, {name: d83}, {name: d84}, {name: d85}, {name: d86}, {name: d87}, {name: d88}, {name: d89}, {name: d90}, {name: d91}, {name: d92}, {name: d93}, {name: d94}, {name: d95}, {name: d96}, {name: d97}, {name: d98}, {name: d99}, {name: d100}, {name: d101}, {name: d102}, {name: d103}, {name: d104}, {name: d105}, {name: d106}, {name: d107}, {name: d108}, {name: d109}, {name: d110}, {name: d111}, {name: d112}, {name: d113}, {name: d114}, {name: d115}, {name: d116}, {name: d117}, {name: d118}, {name: d119}, {name: d120}, {name: d121}, {name: d122}, {name: d123}, {name: d124}, {name: d125}, {name: d126}, {name: d127}]',
    ],
    [
      'spec.devices = [{name: d0}, {name: d1}, {name: d2}, {name: d3}, {name: d4}, {name: d5}, {name: d6}, {name: d7}, {name: d8}, {name: d9}, {name: d10}, {name: d11}, {name: d12}, {name: d13}, {name: d14}, {name: d15}, {name: d16}, {name: d17}, {name: d18}, {name: d19}, {name: d20}, {name: d21}, {name: d22}, {name: d23}, {name: d24}, {name: d25}, {name: d26}, {name: d27}, {name: d28}, {name: d29}, {name: d30}, {name: d31}, {name: d32}, {name: d33}, {name: d34}, {name: d35}, {name: d36}, {name: d37}, {name: d38}, {name: d39}, {name: d40}, {name: d41}, {name: d42}, {name: d43}, {name: d44}, {name: d45}, {name: d46}, {name: d47}, {name: d48}, {name: d49}, {name: d50}, {name: d51}, {name: d52}, {name: d53}, {name: d54}, {name: d55}, {name: d56}, {name: d57}, {name: d58}, {name: d59}, {name: d60}, {name: d61}, {name: d62}, {name: d63}, {name: d64}, {name: d65}, {name: d66}, {name: d67}, {name: d68}, {name: d69}, {name: d70}, {name: d71}, {name: d72}, {name: d73}, {name: d74}, {name: d75}, {name: d76}, {name: d77}, {name: d78}, {name: d79}, {name: d80}, {name: d81}, {name: d82}, {name: d83}, {name: d84}, {name: d85}, {name: d86}, {name: d87}, {name: d88}, {name: d89}, {name: d90}, {name: d91}, {name: d92}, {name: d93}, {name: d94}, {name: d95}, {name: d96}, {name: d97}, {name: d98}, {name: d99}, {name: d100}, {name: d101}, {name: d102}, {name: d103}, {name: d104}, {name: d105}, {name: d106}, {name: d107}, {name: d108}, {name: d109}, {name: d110}, {name: d111}, {name: d112}, {name: d113}, {name: d114}, {name: d115}, {name: d116}, {name: d117}, {name: d118}, {name: d119}, {name: d120}, {name: d121}, {name: d122}, {name: d123}, {name: d124}, {name: d125}, {name: d126}, {name: d127}, {name: d128}]',
      'spec.devices: Too many: 129: must have at most 128 items',
    ],
    [
      'spec.devices = [{name: d0, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d1, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d2, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d3, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d4, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d5, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d6, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d7, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d8, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d9, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d10, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d11, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d12, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d13, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d14, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d15, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d16, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d17, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d18, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d19, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d20, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d21, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d22, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d23, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d24, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d25, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d26, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d27, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d28, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d29, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d30, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d31, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d32, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d33, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d34, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d35, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d36, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d37, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d38, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d39, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d40, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d41, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d42, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d43, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d44, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d45, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d46, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d47, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d48, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d49, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d50, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d51, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d52, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d53, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d54, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d55, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d56, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d57, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d58, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d59, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d60, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d61, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d62, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d63, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}]',
    ],
    [
      'spec.devices = [{name: d0, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d1, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d2, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d3, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d4, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d5, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d6, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d7, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d8, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d9, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d10, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d11, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d12, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d13, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d14, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d15, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d16, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d17, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d18, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d19, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d20, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d21, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d22, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d23, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d24, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d25, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d26, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d27, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d28, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d29, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d30, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d31, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d32, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d33, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d34, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d35, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d36, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d37, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d38, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d39, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d40, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d41, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d42, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d43, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d44, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d45, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d46, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d47, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d48, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d49, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d50, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d51, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d52, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d53, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d54, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d55, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d56, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d57, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d58, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d59, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d60, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d61, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d62, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d63, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}, {name: d64, consumesCounters: [{counterSet: c, counters: {m: {value: "1"}}}]}]',
      'spec.devices: Too many: 65: must have at most 64 items',
    ],
    ['spec.devices[1] = {name: d}', 'spec.devices[1]: Duplicate value: "d"'],
    [
      'spec.devices[0].name = D',
      `spec.devices[0].name: Invalid value: "D": a lowercase RFC 1123 label must consist of lower case alph…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.pool.name = a/B',
      `spec.pool.name: Invalid value: "B": a lowercase RFC 1123 subdomain must consist of lower case alphan…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.pool.name = ppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp',
    ],
    [
      'spec.pool.name = pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp',
      'spec.pool.name: Too long: may not be more than 253 bytes',
      'spec.pool.name: Invalid value: "pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp…pppppppppppppppppppppp": must be no more than 253 characters',
    ],
    ['spec.driver = G.example', 'warning: spec.driver: driver names should be lowercase; "G.example" contains uppercase characters'],
    [
      'spec.driver = "a b"',
      `spec.driver: Invalid value: "a b": a lowercase RFC 1123 subdomain must consist of lower case alphanu…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['spec.pool.resourceSliceCount = 0', 'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero'],
    ['spec.pool.generation = -1', 'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero'],
  ],
  update: [
    ['spec.pool.name = q', 'spec.pool.name: Invalid value: "q": field is immutable'],
    ['spec.driver = h.example', 'spec.driver: Invalid value: "h.example": field is immutable'],
    ['spec.nodeName = o', 'spec.nodeName: Invalid value: "o": field is immutable'],
    ['-spec.nodeName && spec.allNodes = true', 'spec.nodeName: Invalid value: null: field is immutable'],
    ['spec.pool.generation = 2', 'metadata.generation = 1', 'spec.pool.generation = 2'],
    [
      'spec.devices[0].taints = [{key: "a b", effect: Odd}] -> spec.devices[0].attributes = {a: {int: 1}}',
      'metadata.generation = 1',
      'spec.devices[0].attributes = {a: {int: 1}}',
    ],
    [
      'spec.devices[0].capacity = {"a b": {value: "1"}} -> spec.devices[0].attributes = {a: {int: 1}}',
      'metadata.generation = 1',
      'spec.devices[0].attributes = {a: {int: 1}}',
    ],
    [
      'spec.devices[0].taints = [{key: k, effect: NoSchedule}]',
      'metadata.generation = 1',
      'spec.devices[0].taints = [{key: k, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}]',
    ],
  ],
})
