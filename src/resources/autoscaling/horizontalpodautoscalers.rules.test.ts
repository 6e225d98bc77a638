import { ruleTables } from '../rule-table.contract.ts'
import { horizontalPodAutoscalers } from './horizontalpodautoscalers.ts'

ruleTables(horizontalPodAutoscalers, {
  object: `
metadata: {name: h}
spec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: d}}
`,
  filled: [
    'spec.minReplicas = 1',
    'spec.metrics = [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]',
    'status = {desiredReplicas: 0, currentMetrics: null}',
  ],
  create: [['metadata.name = hx', 'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group']],
})

ruleTables(horizontalPodAutoscalers, {
  object: `
metadata: {name: h}
spec: {maxReplicas: 3, scaleTargetRef: {kind: ReplicationController, name: r}}
`,
  create: [
    ['spec.scaleTargetRef.apiVersion = v1'],
    ['spec.scaleTargetRef.apiVersion = /v1'],
    ['spec.scaleTargetRef.kind = Pod', 'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group'],
  ],
})

ruleTables(horizontalPodAutoscalers, {
  object: `
metadata: {name: h1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  minReplicas: 2
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}
  metrics:
    - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}
    - type: Pods
      pods:
        metric: {name: m, selector: {matchLabels: {app: web}}}
        target: {type: AverageValue, averageValue: "10"}
    - type: Object
      object:
        describedObject: {kind: Service, name: s, apiVersion: v1}
        metric: {name: o}
        target: {type: Value, value: "5"}
    - {type: External, external: {metric: {name: e}, target: {type: AverageValue, averageValue: "3"}}}
    - type: ContainerResource
      containerResource: {name: memory, container: main, target: {type: AverageValue, averageValue: "1Gi"}}
  behavior:
    scaleUp:
      stabilizationWindowSeconds: 5
      selectPolicy: Max
      policies: [{type: Pods, value: 2, periodSeconds: 15}]
    scaleDown: {selectPolicy: Disabled}
`,
  filled: [
    'spec.behavior.scaleDown.policies = [{type: Percent, value: 100, periodSeconds: 15}]',
    'status = {desiredReplicas: 0, currentMetrics: null}',
  ],
  create: [
    ['-spec.scaleTargetRef.kind', 'spec.scaleTargetRef.kind: Required value'],
    ['-spec.scaleTargetRef.name', 'spec.scaleTargetRef.name: Required value'],
    ['metadata.name = ""', 'metadata.name: Required value: name or generateName is required'],
    ['-spec.metrics[1].pods.metric', 'spec.metrics[1].pods.metric.name: Required value: must specify a metric name'],
    ['-spec.metrics[0].resource.name', 'spec.metrics[0].resource.name: Required value: must specify a resource name'],
    ['-spec.metrics[1].pods', 'spec.metrics[1].pods: Required value: must populate information for the given metric source'],
    ['-spec.metrics[2].object', 'spec.metrics[2].object: Required value: must populate information for the given metric source'],
    ['spec.metrics[2].object.target.value = "-1"', 'spec.metrics[2].object.target.value: Invalid value: "-1": must be positive'],
    ['spec.metrics[0].resource = null', 'spec.metrics[0].resource: Required value: must populate information for the given metric source'],
    ['spec.metrics[1].pods.target.averageValue = "-1"', 'spec.metrics[1].pods.target.averageValue: Invalid value: "-1": must be positive'],
    [
      '-spec.metrics[1].pods.target.averageValue',
      'spec.metrics[1].pods.target.averageValue: Required value: must specify a positive target averageValue',
    ],
    [
      '-spec.metrics[2].object.target.value',
      'spec.metrics[2].object.target.averageValue: Required value: must set either a target value or averageValue',
    ],
    [
      'spec.metrics[4].containerResource = null',
      'spec.metrics[4].containerResource: Required value: must populate information for the given metric source',
    ],
    [
      'spec.metrics[0].resource.target.averageUtilization = 0',
      'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
    ],
    [
      'spec.metrics[1].pods.target.type = "Bad_Name!"',
      'spec.metrics[1].pods.target.type: Invalid value: "Bad_Name!": must be either Utilization, Value, or AverageValue',
    ],
    [
      '-spec.maxReplicas',
      'spec.maxReplicas: Required value: must be set and greater than 0',
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
    ],
    [
      'spec.metrics[3].external.target.averageValue = null',
      'spec.metrics[3].external.target.averageValue: Required value: must set either a target value for metric or a per-pod target',
    ],
    [
      '-spec.metrics[0].resource.target.averageUtilization',
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
    ],
    [
      '-spec.metrics[1].pods.target.type',
      'spec.metrics[1].pods.target.type: Required value: must specify a metric target type',
      'spec.metrics[1].pods.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
    ],
    [
      '-spec.metrics[2].object.target.type',
      'spec.metrics[2].object.target.type: Required value: must specify a metric target type',
      'spec.metrics[2].object.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
    ],
    [
      '-spec.metrics[0].resource.target.type',
      'spec.metrics[0].resource.target.type: Required value: must specify a metric target type',
      'spec.metrics[0].resource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
    ],
    [
      'spec.metrics[1].type = Podsx',
      'spec.metrics[1].type: Unsupported value: "Podsx": supported values: "ContainerResource", "Extern…"Object", "Pods", "Resource"',
      'spec.metrics[1].type: Unsupported value: "Podsx": supported values: "ContainerResource", "Extern…"Object", "Pods", "Resource"',
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      '-spec.metrics[0].type',
      'spec.metrics[0].type: Required value: must specify a metric source type',
      'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
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
      '-spec.metrics[4].containerResource.name && -spec.metrics[4].containerResource.container && -spec.metrics[4].containerResource.target',
      'spec.metrics[4].containerResource.name: Required value: must specify a resource name',
      'spec.metrics[4].containerResource.container: Required value: must specify a container',
      'spec.metrics[4].containerResource.target.type: Required value: must specify a metric target type',
      'spec.metrics[4].containerResource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
      'spec.metrics[4].containerResource.target.averageUtilization: Required value: must set either a t…alue or a target utilization',
    ],
  ],
  update: [
    ['-spec.metrics[2].object.describedObject.name', 'spec.metrics[2].object.describedObject.name: Required value'],
    ['-spec.metrics[1].pods.metric.name', 'spec.metrics[1].pods.metric.name: Required value: must specify a metric name'],
    ['-spec.metrics[1].pods', 'spec.metrics[1].pods: Required value: must populate information for the given metric source'],
    ['spec.metrics[2].object.metric.name = null', 'spec.metrics[2].object.metric.name: Required value: must specify a metric name'],
    ['-spec.metrics[4].containerResource.name', 'spec.metrics[4].containerResource.name: Required value: must specify a resource name'],
    ['spec.behavior.scaleUp.policies = []', 'spec.behavior.scaleUp.policies: Required value: must specify at least one Policy'],
    ['-spec.behavior.scaleUp.policies[0].value', 'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero'],
    ['spec.metrics[3].external = null', 'spec.metrics[3].external: Required value: must populate information for the given metric source'],
    [
      'spec.behavior.scaleUp.selectPolicy = ""',
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "": supported values: "Disabled", "Max", "Min"',
    ],
    [
      '-spec.metrics[1].pods.target.averageValue',
      'spec.metrics[1].pods.target.averageValue: Required value: must specify a positive target averageValue',
    ],
    [
      'spec.behavior.scaleUp.policies[0].periodSeconds = -1',
      'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: -1: must be greater than zero',
    ],
    [
      'spec.metrics[0].resource.target.averageUtilization = -1',
      'spec.metrics[0].resource.target.averageUtilization: Invalid value: -1: must be greater than 0',
    ],
    [
      'spec.metrics[2].object.target.type = Valuex',
      'spec.metrics[2].object.target.type: Invalid value: "Valuex": must be either Utilization, Value, or AverageValue',
    ],
    [
      '-spec.metrics[2].object.describedObject',
      'spec.metrics[2].object.describedObject.kind: Required value',
      'spec.metrics[2].object.describedObject.name: Required value',
    ],
    [
      'spec.behavior.scaleUp.policies[0].periodSeconds = 70000',
      'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 70000: must be less than or equal to 1800',
    ],
    [
      'spec.behavior.scaleDown.selectPolicy = Disabledx',
      'spec.behavior.scaleDown.selectPolicy: Unsupported value: "Disabledx": supported values: "Disabled", "Max", "Min"',
    ],
    [
      'spec.metrics[0].resource.target.type = "Bad_Name!"',
      'spec.metrics[0].resource.target.type: Invalid value: "Bad_Name!": must be either Utilization, Value, or AverageValue',
    ],
    [
      'spec.metrics[0].resource.target.averageUtilization = null',
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
    ],
    [
      'spec.metrics[4].containerResource.target.type = "Bad_Name!"',
      'spec.metrics[4].containerResource.target.type: Invalid value: "Bad_Name!": must be either Utilization, Value, or AverageValue',
    ],
    [
      'spec.metrics[1].pods.target.type = ""',
      'spec.metrics[1].pods.target.type: Required value: must specify a metric target type',
      'spec.metrics[1].pods.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
    ],
    [
      'spec.metrics[2].object.target.type = ""',
      'spec.metrics[2].object.target.type: Required value: must specify a metric target type',
      'spec.metrics[2].object.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
    ],
    [
      'spec.metrics[4].containerResource.target.type = null',
      'spec.metrics[4].containerResource.target.type: Required value: must specify a metric target type',
      'spec.metrics[4].containerResource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
    ],
    [
      'spec.metrics[4].containerResource.name = memoryx',
      'spec.metrics[4].containerResource.name: Invalid value: "memoryx": must be a standard resource type or fully qualified',
      'spec.metrics[4].containerResource.name: Invalid value: "memoryx": must be a standard resource for containers',
    ],
    [
      'spec.metrics[2].type = Objectx',
      'spec.metrics[2].type: Unsupported value: "Objectx": supported values: "ContainerResource", "Exte…"Object", "Pods", "Resource"',
      'spec.metrics[2].type: Unsupported value: "Objectx": supported values: "ContainerResource", "Exte…"Object", "Pods", "Resource"',
    ],
    [
      'spec.behavior.scaleUp.policies[0] = null',
      'spec.behavior.scaleUp.policies[0].type: Unsupported value: "": supported values: "Percent", "Pods"',
      'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
      'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 0: must be greater than zero',
    ],
    [
      '-spec.metrics[2].object.target',
      'spec.metrics[2].object.target.type: Required value: must specify a metric target type',
      'spec.metrics[2].object.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
      'spec.metrics[2].object.target.averageValue: Required value: must set either a target value or averageValue',
    ],
    [
      'spec.metrics[0] = null',
      'spec.metrics[0].type: Required value: must specify a metric source type',
      'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
    ],
    [
      'spec.metrics[4].containerResource.target = null',
      'spec.metrics[4].containerResource.target.type: Required value: must specify a metric target type',
      'spec.metrics[4].containerResource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
      'spec.metrics[4].containerResource.target.averageUtilization: Required value: must set either a t…alue or a target utilization',
    ],
    [
      'spec.metrics[3].external.target.type = a × 300',
      'spec.metrics[3].external.target.type: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…tion, Value, or AverageValue',
    ],
    [
      '-spec.metrics[4].containerResource.name && -spec.metrics[4].containerResource.container && -spec.metrics[4].containerResource.target',
      'spec.metrics[4].containerResource.name: Required value: must specify a resource name',
      'spec.metrics[4].containerResource.container: Required value: must specify a container',
      'spec.metrics[4].containerResource.target.type: Required value: must specify a metric target type',
      'spec.metrics[4].containerResource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
      'spec.metrics[4].containerResource.target.averageUtilization: Required value: must set either a t…alue or a target utilization',
    ],
  ],
  status: [
    [
      '-metadata.labels.app && -metadata.labels[example.com/tier] && metadata.labels.changed = "yes" && -spec.minReplicas && -spec.maxReplicas && -spec.scaleTargetRef && -spec.metrics && -spec.behavior',
      '-metadata.labels.app',
      '-metadata.labels[example.com/tier]',
      'metadata.labels.changed = "yes"',
    ],
  ],
})
