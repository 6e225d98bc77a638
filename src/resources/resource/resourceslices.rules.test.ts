import { ruleTables } from '../rule-table.contract.ts'
import { resourceSlices } from './resourceslices.ts'

ruleTables(resourceSlices, {
  object: `
metadata: {name: default}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices:
    - name: gpu-0
      attributes: {model: {string: x}, numa: {int: 0}, ok: {bool: true}, ver: {version: "1.2.3"}}
      capacity: {memory: {value: "16Gi"}}
    - {name: gpu-1}
`,
  create: [
    [
      'spec.devices[0].attributes = {a: {strings: [x]}}',
      'spec.devices[0].attributes[a]: Invalid value: "": exactly one value must be specified',
    ],
    ['spec.devices[0].attributes.ok.bools = [true]', '-spec.devices[0].attributes.ok.bools'],
    ['spec.devices[0].nodeAllocatableResourceMappings = {}', '-spec.devices[0].nodeAllocatableResourceMappings'],
    ['-spec.driver', 'spec.driver: Required value'],
    ['-spec.pool.name', 'spec.pool.name: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-spec.pool.resourceSliceCount', 'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero'],
    ['spec.pool.generation = -1', 'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero'],
    ['-spec.devices[0].attributes.ok.bool', 'spec.devices[0].attributes[ok]: Invalid value: "": exactly one value must be specified'],
    ['-spec.nodeName', 'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'],
    [
      'spec.devices[0].attributes.model.string = a × 300',
      'spec.devices[0].attributes[model].string: Too long: may not be more than 64 bytes',
    ],
    [
      'spec.devices[0].attributes.ver.version = ""',
      'spec.devices[0].attributes[ver].version: Invalid value: "": must be a string compatible with semver.org spec 2.0.0',
    ],
    [
      'spec.nodeName = ""',
      'spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string',
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ],
    [
      '-spec',
      'spec.driver: Required value',
      'spec.pool.name: Required value',
      'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ],
    [
      '-spec.devices[0].name',
      `spec.devices[0].name: Invalid value: "": a lowercase RFC 1123 label must consist of lower case a…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.devices[0] = null',
      `spec.devices[0].name: Invalid value: "": a lowercase RFC 1123 label must consist of lower case a…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.driver = "Bad_Name!"',
      `spec.driver: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower ca…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.nodeName = "Bad_Name!"',
      `spec.nodeName: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.pool.name = "Bad_Name!"',
      `spec.pool.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.devices = [{name: gpu-0, attributes: {model: {string: x}, numa: {int: 0}, ok: {bool: true}, ver: {version: "1.2.3"}}, capacity: {memory: {value: "16Gi"}}}, {name: gpu-0, attributes: {model: {string: x}, numa: {int: 0}, ok: {bool: true}, ver: {version: "1.2.3"}}, capacity: {memory: {value: "16Gi"}}}, {name: gpu-1}]',
      'spec.devices[1]: Duplicate value: "gpu-0"',
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.nodeName = a × 300',
      'spec.nodeName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.devices[0].name = a × 300',
      'spec.devices[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.driver = a × 300',
      'spec.driver: Too long: may not be more than 63 bytes',
      'spec.driver: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.pool.name = a × 300',
      'spec.pool.name: Too long: may not be more than 253 bytes',
      'spec.pool.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.devices[0].attributes.ver.version = a × 300',
      'spec.devices[0].attributes[ver].version: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e with semver.org spec 2.0.0',
      'spec.devices[0].attributes[ver].version: Too long: may not be more than 64 bytes',
    ],
  ],
  update: [
    ['spec.driver = ""', 'spec.driver: Required value', 'spec.driver: Invalid value: "": field is immutable'],
    ['spec.pool.name = ""', 'spec.pool.name: Required value', 'spec.pool.name: Invalid value: "": field is immutable'],
    ['spec.pool.generation = -1', 'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero'],
    ['spec.pool.resourceSliceCount = 0', 'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero'],
    [
      'spec.devices[0].attributes.model = null',
      'spec.devices[0].attributes[model]: Invalid value: "": exactly one value must be specified',
    ],
    [
      'spec.devices[0].attributes.model.string = a × 300',
      'spec.devices[0].attributes[model].string: Too long: may not be more than 64 bytes',
    ],
    [
      '-spec.nodeName',
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
      'spec.nodeName: Invalid value: null: field is immutable',
    ],
    [
      'spec.nodeName = ""',
      'spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string',
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
      'spec.nodeName: Invalid value: "": field is immutable',
    ],
    [
      '-spec.devices[0].name',
      `spec.devices[0].name: Invalid value: "": a lowercase RFC 1123 label must consist of lower case a…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.pool.name = "Bad_Name!"',
      `spec.pool.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower…-9]([-a-z0-9]*[a-z0-9])?)*')`,
      'spec.pool.name: Invalid value: "Bad_Name!": field is immutable',
    ],
    [
      'spec.devices[0].name = a × 300',
      'spec.devices[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
  ],
})

ruleTables(resourceSlices, {
  object: `
metadata: {name: s}
spec:
  driver: d.example.com
  nodeName: n1
  pool: {name: p, resourceSliceCount: 1, generation: 0}
  devices: [{name: a}]
`,
  create: [
    ['spec.allNodes = true', 'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of …, but multiple fields are set'],
    ['-spec.nodeName', 'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'],
    ['spec.sharedCounters = [{name: c, counters: {m: {value: "1"}}}] && -spec.devices'],
    ['spec.sharedCounters = [{name: c, counters: {}}] && -spec.devices', 'spec.sharedCounters[0].counters: Required value'],
    ['spec.devices[0].attributes.a = {int: 1}'],
    ['spec.devices[0].attributes.a = {}', 'spec.devices[0].attributes[a]: Invalid value: "": exactly one value must be specified'],
    [
      'spec.devices[0].attributes.a = {int: 1, bool: true}',
      'spec.devices[0].attributes[a]: Invalid value: {"IntValue":1,"BoolValue":true,…}: exactly one value must be specified',
    ],
  ],
})
