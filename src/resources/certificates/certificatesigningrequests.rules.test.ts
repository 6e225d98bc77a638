import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { certificatesResources } from './group.ts'

ruleTables(definitionOf(certificatesResources, 'certificatesigningrequests'), {
  object: `
metadata: {name: default}
spec:
  request: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K
  signerName: example.com/s
  usages: ["digital signature", "client auth"]
  expirationSeconds: 3600
`,
  filled: ['spec.username = u', 'status = {}'],
  create: [
    ['-spec.request', 'spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST'],
    ['spec.request = ""', 'spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST'],
    [
      '-spec',
      'spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST',
      'spec.usages: Required value',
      'spec.signerName: Required value',
    ],
    [
      '-metadata.name',
      'metadata.name: Required value: name or generateName is required',
      'spec.request: Invalid value: "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K": PEM block type must be CERTIFICATE REQUEST',
    ],
    [
      'spec.expirationSeconds = 0',
      'spec.request: Invalid value: "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K": PEM block type must be CERTIFICATE REQUEST',
      'spec.expirationSeconds: Invalid value: 0: may not specify a duration less than 600 seconds (10 minutes)',
    ],
    [
      'spec.signerName = "Bad_Name!"',
      'spec.request: Invalid value: "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K": PEM block type must be CERTIFICATE REQUEST',
      `spec.signerName: Invalid value: "Bad_Name!": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
    ],
    [
      'spec.usages[1] = "client authx"',
      'spec.request: Invalid value: "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K": PEM block type must be CERTIFICATE REQUEST',
      'spec.usages[1]: Unsupported value: "client authx": supported values: "any", "cert sign", "client…", "signing", "timestamping"',
    ],
  ],
})
