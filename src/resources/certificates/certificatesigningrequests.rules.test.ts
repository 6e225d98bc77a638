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

const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1IQUNBUUF3RGpFTU1Bb0dBMVVFQXd3RFltOWlNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQV' +
  'FjRApRZ0FFWVZHZ1NQd1pCNlUwOEdJZ3U4anBYbnZUMEc2Zzc0dElLN3BOZnBwU0NOYXNjdzBMV2dRVTA2dnVxMGJuCjdtNmxBTVA4WTNjaDlVb3RsbnMzZWlzK3lLQUFN' +
  'QW9HQ0NxR1NNNDlCQU1DQTBrQU1FWUNJUURkT0tPNUQ3QXgKdUx2blpXOXA0b1QwcDVxdkJrNUdjT0xDdVNNTndYY0JNUUloQUp4eGxjK09rYTRXbXhpT210Um9hWFlkcz' +
  'BmMwp2NzdmbjVBMm9tWFN2UWpwCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo='

/** The same signature under another subject. */
const FORGED =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1IQUNBUUF3RGpFTU1Bb0dBMVVFQXd3RGNtOWlNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQV' +
  'FjRApRZ0FFWVZHZ1NQd1pCNlUwOEdJZ3U4anBYbnZUMEc2Zzc0dElLN3BOZnBwU0NOYXNjdzBMV2dRVTA2dnVxMGJuCjdtNmxBTVA4WTNjaDlVb3RsbnMzZWlzK3lLQUFN' +
  'QW9HQ0NxR1NNNDlCQU1DQTBrQU1FWUNJUURkT0tPNUQ3QXgKdUx2blpXOXA0b1QwcDVxdkJrNUdjT0xDdVNNTndYY0JNUUloQUp4eGxjK09rYTRXbXhpT210Um9hWFlkcz' +
  'BmMwp2NzdmbjVBMm9tWFN2UWpwCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo='

const WITH_HEADER =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KQTogYgoKTUlISk1IQUNBUUF3RGpFTU1Bb0dBMVVFQXd3RFltOWlNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWk' +
  'l6ajBEQVFjRApRZ0FFWVZHZ1NQd1pCNlUwOEdJZ3U4anBYbnZUMEc2Zzc0dElLN3BOZnBwU0NOYXNjdzBMV2dRVTA2dnVxMGJuCjdtNmxBTVA4WTNjaDlVb3RsbnMzZWlz' +
  'K3lLQUFNQW9HQ0NxR1NNNDlCQU1DQTBrQU1FWUNJUURkT0tPNUQ3QXgKdUx2blpXOXA0b1QwcDVxdkJrNUdjT0xDdVNNTndYY0JNUUloQUp4eGxjK09rYTRXbXhpT210Um' +
  '9hWFlkczBmMwp2NzdmbjVBMm9tWFN2UWpwCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo='

ruleTables(definitionOf(certificatesResources, 'certificatesigningrequests'), {
  object: `
metadata: {name: signed}
spec:
  request: ${REQUEST}
  signerName: example.com/s
  usages: ["client auth"]
status:
  conditions: [{type: Approved, status: "True", reason: Ok, lastUpdateTime: "2024-01-01T00:00:00Z", lastTransitionTime: "2024-01-01T00:00:00Z"}]
`,
  create: [
    [`spec.request = ${FORGED}`, `spec.request: Invalid value: "${FORGED}": x509: ECDSA verification failure`],
    [`spec.request = ${WITH_HEADER}`],
    [
      'spec.usages = [x, client auth, client auth, z]',
      'spec.usages[0]: Unsupported value: "x": supported values: "any", "cert sign", "client…", "signing", "timestamping"',
      'spec.usages[3]: Unsupported value: "z": supported values: "any", "cert sign", "client…", "signing", "timestamping"',
      'spec.usages[2]: Duplicate value: "client auth"',
    ],
    ['spec.signerName = e/x', 'spec.signerName: Invalid value: "e": should be a domain with at least two segments separated by dots'],
  ],
  status: [
    ['status.conditions[0].reason = Other'],
    [
      'status = {conditions: [], certificate: eA==}',
      'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ],
  ],
  parts: {
    approval: [
      ['status.conditions[0].reason = Other', 'status.conditions[0].reason = Other'],
      [
        'status.conditions[1] = {type: Denied, status: "True"}',
        'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
      ],
    ],
  },
})
