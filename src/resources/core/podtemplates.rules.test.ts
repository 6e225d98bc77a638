import { ruleTables } from '../rule-table.contract.ts'
import { podTemplates } from './podtemplates.ts'

ruleTables(podTemplates, {
  object: `
metadata: {name: t, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: "registry.example/app:1"}]}}
`,
  filled: [
    'template.spec.containers[0].resources = {}',
    'template.spec.containers[0].imagePullPolicy = IfNotPresent',
    'template.spec.containers[0].terminationMessagePath = /dev/termination-log',
    'template.spec.containers[0].terminationMessagePolicy = File',
    'template.spec.restartPolicy = Always',
    'template.spec.dnsPolicy = ClusterFirst',
    'template.spec.schedulerName = default-scheduler',
    'template.spec.terminationGracePeriodSeconds = 30',
    'template.spec.securityContext = {}',
  ],
  create: [
    // A controller may add the reference.
    ['template.spec.volumes = [{name: v, image: {}}]', 'template.spec.volumes[0].image.pullPolicy = IfNotPresent'],
    ['-template', 'template.spec.containers: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-template.spec.containers[0].name', 'template.spec.containers[0].name: Required value'],
    ['-template.spec.containers[0].image', 'template.spec.containers[0].image: Required value'],
    [
      'template.spec.containers = [{name: main, image: "registry.example/app:1"}, {name: main, image: "registry.example/app:1"}]',
      'template.spec.containers[1].name: Duplicate value: "main"',
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'template.metadata.labels[Bad Key!] = x',
      `template.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.annotations[Bad Key!] = x',
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.labels.key = "a b!"',
      `metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'template.spec.containers[0].name = "Bad_Name!"',
      `template.spec.containers[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must co…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'template.metadata.labels.key = "a b!"',
      `template.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'template.metadata.labels.app = a × 300',
      'template.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'template.spec.containers[0].name = a × 300',
      'template.spec.containers[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
  ],
  update: [
    ['-template.spec', 'template.spec.containers: Required value'],
    ['-template.spec.containers[0].name', 'template.spec.containers[0].name: Required value'],
    ['-template.spec.containers[0].image', 'template.spec.containers[0].image: Required value'],
    [
      'template.spec.containers = [{name: main, image: "registry.example/app:1"}, {name: main, image: "registry.example/app:1"}]',
      'template.spec.containers[1].name: Duplicate value: "main"',
    ],
    [
      'template.spec.containers[0].name = "Bad_Name!"',
      `template.spec.containers[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must co…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'template.metadata.labels.app = "Bad_Name!"',
      `template.labels: Invalid value: "Bad_Name!": a valid label must be an empty string or consist of…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'template.metadata.labels.app = a × 300',
      'template.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
})
