import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { resourceResources } from './group.ts'

ruleTables(definitionOf(resourceResources, 'deviceclasses'), {
  object: `
metadata: {name: default}
spec:
  selectors: [{cel: {expression: "device.driver == \\"gpu.example.com\\""}}]
  config: [{opaque: {driver: gpu.example.com, parameters: {x: "y"}}}]
  extendedResourceName: example.com/gpu
`,
  create: [
    ['spec.config[0] = null', 'spec.config[0].opaque: Required value'],
    [
      'spec.selectors[0].cel.expression = "Bad_Name!"',
      'spec.selectors[0].cel.expression: Invalid value: "Bad_Name!": compilation failed: ERROR: <input>…F>\n | Bad_Name!\n | ........^',
    ],
    [
      '-spec.selectors[0].cel.expression',
      'spec.selectors[0].cel.expression: Invalid value: "": compilation failed: ERROR: <input>:1:0: Syn…, STRING, BYTES, IDENTIFIER}',
    ],
    [
      'spec.selectors[0].cel.expression = "device.driver == \\"gpu.example.com\\"x"',
      'spec.selectors[0].cel.expression: Invalid value: "device.driver == \\"gpu.example.com\\"x": compil…...........................^',
    ],
  ],
  update: [
    ['spec.config[0] = null', 'spec.config[0].opaque: Required value'],
    ['-spec.selectors[0].cel', 'spec.selectors[0].cel: Required value'],
    ['-spec.config[0].opaque.driver', 'spec.config[0].opaque.driver: Required value'],
    ['-spec.config[0].opaque.parameters', 'spec.config[0].opaque.parameters: Required value'],
    ['spec.extendedResourceName = ""', 'spec.extendedResourceName: Invalid value: "": must be a valid extended resource name'],
    [
      'spec.config[0].opaque.parameters = x',
      'spec.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
    ],
    [
      'spec.selectors[0].cel.expression = "Bad_Name!"',
      'spec.selectors[0].cel.expression: Invalid value: "Bad_Name!": compilation failed: ERROR: <input>…F>\n | Bad_Name!\n | ........^',
    ],
    [
      '-spec.selectors[0].cel.expression',
      'spec.selectors[0].cel.expression: Invalid value: "": compilation failed: ERROR: <input>:1:0: Syn…, STRING, BYTES, IDENTIFIER}',
    ],
    [
      'spec.selectors[0].cel.expression = "device.driver == \\"gpu.example.com\\"x"',
      'spec.selectors[0].cel.expression: Invalid value: "device.driver == \\"gpu.example.com\\"x": compil…...........................^',
    ],
    [
      'spec.config[0].opaque.driver = "Bad_Name!"',
      `spec.config[0].opaque.driver: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must co…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.config[0].opaque.driver = a × 300',
      'spec.config[0].opaque.driver: Too long: may not be more than 63 bytes',
      'spec.config[0].opaque.driver: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    ['-spec.selectors', '-spec.selectors'],
    ['-spec.selectors && -spec.config && -spec.extendedResourceName', '-spec.selectors', '-spec.config', '-spec.extendedResourceName'],
  ],
})
