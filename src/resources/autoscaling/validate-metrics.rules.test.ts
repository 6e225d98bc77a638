import { ruleTables } from '../rule-table.contract.ts'
import { horizontalPodAutoscalers } from './horizontalpodautoscalers.ts'

ruleTables(horizontalPodAutoscalers, {
  object: `
metadata: {name: h}
spec: {maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}]}
`,
  create: [
    [
      'spec.metrics = [{type: ContainerResource, containerResource: {name: cpu, container: A_b, target: {type: Value, averageValue: 1}}}]',
      `spec.metrics[0].containerResource.container: Invalid value: "A_b": a lowercase RFC 1123 label mus…ation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.metrics = [{type: ContainerResource, containerResource: {name: cpu, target: {type: Value, averageValue: 1}}}]',
      'spec.metrics[0].containerResource.container: Required value: must specify a container',
    ],
    [
      'spec.minReplicas = 0',
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ],
    ['spec.minReplicas = -1', 'spec.minReplicas: Invalid value: -1: must be greater than or equal to 1'],
    ['spec.minReplicas = 6', 'spec.maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`'],
    ['spec.minReplicas = 5'],
    [
      'spec.maxReplicas = 0',
      'spec.maxReplicas: Required value: must be set and greater than 0',
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
    ],
    [
      'spec.minReplicas = 0 && spec.metrics = [{type: External, external: {metric: {name: m}, target: {type: Value, value: 1}}}]',
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
    ],
    ['-spec.scaleTargetRef.kind', 'spec.scaleTargetRef.kind: Required value'],
    ['-spec.scaleTargetRef.name', 'spec.scaleTargetRef.name: Required value'],
    [
      'spec.scaleTargetRef.apiVersion = a/b/c',
      'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
    ['spec.scaleTargetRef.kind = a/b', `spec.scaleTargetRef.kind: Invalid value: "a/b": may not contain '/'`],
    ['spec.scaleTargetRef.name = a/b', `spec.scaleTargetRef.name: Invalid value: "a/b": may not contain '/'`],
    ['-spec.metrics', 'spec.metrics = [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]'],
    [
      'spec.metrics = [{}]',
      'spec.metrics[0].type: Required value: must specify a metric source type',
      'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
    ],
    [
      'spec.metrics = [{type: Odd}]',
      'spec.metrics[0].type: Unsupported value: "Odd": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[0].type: Unsupported value: "Odd": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
    ],
    [
      'spec.metrics = [{type: Resource}]',
      'spec.metrics[0].resource: Required value: must populate information for the given metric source',
    ],
    [
      'spec.metrics = [{type: Resource, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 1}}}]',
      'spec.metrics[0].resource: Required value: must populate information for the given metric source',
    ],
    [
      'spec.metrics = [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 1}}}]',
      'spec.metrics[0].pods: Forbidden: must populate the given metric source only',
    ],
    [
      'spec.metrics = [{type: Resource, resource: {name: "", target: {type: Utilization, averageUtilization: 60}}}]',
      'spec.metrics[0].resource.name: Required value: must specify a resource name',
    ],
    [
      'spec.metrics = [{type: Resource, resource: {name: cpu, target: {type: Utilization}}}]',
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
    ],
    [
      'spec.metrics = [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 0}}}]',
      'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
    ],
    [
      'spec.metrics = [{type: Resource, resource: {name: cpu, target: {type: AverageValue, averageValue: 0}}}]',
      'spec.metrics[0].resource.target.averageValue: Invalid value: "0": must be positive',
    ],
    ['spec.metrics = [{type: Resource, resource: {name: cpu, target: {type: AverageValue, averageValue: 1m}}}]'],
    [
      'spec.metrics = [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60, averageValue: 5}}}]',
      'spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization',
    ],
    [
      'spec.metrics = [{type: Resource, resource: {name: cpu, target: {averageUtilization: 60}}}]',
      'spec.metrics[0].resource.target.type: Required value: must specify a metric target type',
      'spec.metrics[0].resource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
    ],
    [
      'spec.metrics = [{type: Resource, resource: {name: cpu, target: {type: Odd, averageUtilization: 60}}}]',
      'spec.metrics[0].resource.target.type: Invalid value: "Odd": must be either Utilization, Value, or AverageValue',
    ],
    [
      'spec.metrics = [{type: Resource, resource: {name: cpu, target: {type: Value, value: 5}}}]',
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
    ],
    [
      'spec.metrics = [{type: ContainerResource, containerResource: {name: cpu, container: c, target: {type: Utilization, averageUtilization: 60}}}]',
    ],
    [
      'spec.metrics = [{type: ContainerResource, containerResource: {name: cpu, container: "", target: {type: Utilization, averageUtilization: 60}}}]',
      'spec.metrics[0].containerResource.container: Required value: must specify a container',
    ],
    [
      'spec.metrics = [{type: ContainerResource, containerResource: {name: "", container: c, target: {type: Utilization, averageUtilization: 60}}}]',
      'spec.metrics[0].containerResource.name: Required value: must specify a resource name',
    ],
    [
      'spec.metrics = [{type: ContainerResource, containerResource: {name: bogus, container: c, target: {type: Utilization, averageUtilization: 60}}}]',
      'spec.metrics[0].containerResource.name: Invalid value: "bogus": must be a standard resource type or fully qualified',
      'spec.metrics[0].containerResource.name: Invalid value: "bogus": must be a standard resource for containers',
    ],
    [
      'spec.metrics = [{type: Pods, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 1}}}]',
      'spec.metrics[0].pods.target.averageValue = "1"',
    ],
    [
      'spec.metrics = [{type: Pods, pods: {metric: {name: m}, target: {type: Value, value: 1}}}]',
      'spec.metrics[0].pods.target.averageValue: Required value: must specify a positive target averageValue',
    ],
    [
      'spec.metrics = [{type: Pods, pods: {metric: {name: ""}, target: {type: AverageValue, averageValue: 1}}}]',
      'spec.metrics[0].pods.metric.name: Required value: must specify a metric name',
    ],
    [
      'spec.metrics = [{type: Pods, pods: {metric: {name: a/b}, target: {type: AverageValue, averageValue: 1}}}]',
      `spec.metrics[0].pods.metric.name: Invalid value: "a/b": may not contain '/'`,
    ],
    [
      'spec.metrics = [{type: Pods, pods: {metric: {name: m, selector: {matchLabels: {"a b": c}}}, target: {type: AverageValue, averageValue: 1}}}]',
      'spec.metrics[0].pods.target.averageValue = "1"',
    ],
    [
      'spec.metrics = [{type: Object, object: {describedObject: {apiVersion: v1, kind: Service, name: s}, metric: {name: m}, target: {type: Value, value: 1}}}]',
      'spec.metrics[0].object.target.value = "1"',
    ],
    [
      'spec.metrics = [{type: Object, object: {describedObject: {kind: "", name: ""}, metric: {name: m}, target: {type: Value, value: 1}}}]',
      'spec.metrics[0].object.describedObject.kind: Required value',
      'spec.metrics[0].object.describedObject.name: Required value',
    ],
    [
      'spec.metrics = [{type: Object, object: {describedObject: {apiVersion: v1, kind: Service, name: s}, metric: {name: m}, target: {type: Value}}}]',
      'spec.metrics[0].object.target.averageValue: Required value: must set either a target value or averageValue',
    ],
    [
      'spec.metrics = [{type: Object, object: {describedObject: {apiVersion: v1, kind: Service, name: s}, metric: {name: m}, target: {type: Value, value: 1, averageValue: 1}}}]',
      'spec.metrics[0].object.target.value = "1"',
      'spec.metrics[0].object.target.averageValue = "1"',
    ],
    [
      'spec.metrics = [{type: External, external: {metric: {name: m}, target: {type: Value, value: 1, averageValue: 1}}}]',
      'spec.metrics[0].external.target.value: Forbidden: may not set both a target value for metric and a per-pod target',
    ],
    [
      'spec.metrics = [{type: External, external: {metric: {name: m}, target: {type: Value}}}]',
      'spec.metrics[0].external.target.averageValue: Required value: must set either a target value for metric or a per-pod target',
    ],
    [
      'spec.metrics = [{type: External, external: {metric: {name: m}, target: {type: AverageValue, averageValue: -1}}}]',
      'spec.metrics[0].external.target.averageValue: Invalid value: "-1": must be positive',
    ],
    [
      'spec.metrics = [{type: External, external: {metric: {name: m}, target: {type: Value, value: 0}}}]',
      'spec.metrics[0].external.target.value: Invalid value: "0": must be positive',
    ],
    [
      'spec.behavior = {scaleUp: {stabilizationWindowSeconds: 3600}}',
      'spec.behavior.scaleUp.selectPolicy = Max',
      'spec.behavior.scaleUp.policies = [{type: Pods, value: 4, periodSeconds: 15}, {type: Percent, value: 100, periodSeconds: 15}]',
      'spec.behavior.scaleDown = {selectPolicy: Max, policies: [{type: Percent, value: 100, periodSeconds: 15}]}',
    ],
    [
      'spec.behavior = {scaleDown: {stabilizationWindowSeconds: 3600}}',
      'spec.behavior.scaleDown.selectPolicy = Max',
      'spec.behavior.scaleDown.policies = [{type: Percent, value: 100, periodSeconds: 15}]',
      'spec.behavior.scaleUp = {stabilizationWindowSeconds: 0, selectPolicy: Max, policies: [{type: Pods, v…conds: 15}, {type: Percent, value: 100, periodSeconds: 15}]}',
    ],
    [
      'spec.behavior = {scaleUp: {stabilizationWindowSeconds: 3601}}',
      'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
    ],
    [
      'spec.behavior = {scaleDown: {stabilizationWindowSeconds: 3601}}',
      'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
    ],
    [
      'spec.behavior = {scaleUp: {stabilizationWindowSeconds: -1}}',
      'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero',
    ],
    [
      'spec.behavior = {scaleDown: {stabilizationWindowSeconds: -1}}',
      'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero',
    ],
    [
      'spec.behavior = {scaleUp: {selectPolicy: Odd}}',
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Odd": supported values: "Disabled", "Max", "Min"',
    ],
    [
      'spec.behavior = {scaleDown: {selectPolicy: Odd}}',
      'spec.behavior.scaleDown.selectPolicy: Unsupported value: "Odd": supported values: "Disabled", "Max", "Min"',
    ],
    [
      'spec.behavior = {scaleUp: {selectPolicy: Min}}',
      'spec.behavior.scaleUp.stabilizationWindowSeconds = 0',
      'spec.behavior.scaleUp.policies = [{type: Pods, value: 4, periodSeconds: 15}, {type: Percent, value: 100, periodSeconds: 15}]',
      'spec.behavior.scaleDown = {selectPolicy: Max, policies: [{type: Percent, value: 100, periodSeconds: 15}]}',
    ],
    [
      'spec.behavior = {scaleDown: {selectPolicy: Min}}',
      'spec.behavior.scaleDown.policies = [{type: Percent, value: 100, periodSeconds: 15}]',
      'spec.behavior.scaleUp = {stabilizationWindowSeconds: 0, selectPolicy: Max, policies: [{type: Pods, v…conds: 15}, {type: Percent, value: 100, periodSeconds: 15}]}',
    ],
    [
      'spec.behavior = {scaleUp: {selectPolicy: Disabled}}',
      'spec.behavior.scaleUp.stabilizationWindowSeconds = 0',
      'spec.behavior.scaleUp.policies = [{type: Pods, value: 4, periodSeconds: 15}, {type: Percent, value: 100, periodSeconds: 15}]',
      'spec.behavior.scaleDown = {selectPolicy: Max, policies: [{type: Percent, value: 100, periodSeconds: 15}]}',
    ],
    [
      'spec.behavior = {scaleDown: {selectPolicy: Disabled}}',
      'spec.behavior.scaleDown.policies = [{type: Percent, value: 100, periodSeconds: 15}]',
      'spec.behavior.scaleUp = {stabilizationWindowSeconds: 0, selectPolicy: Max, policies: [{type: Pods, v…conds: 15}, {type: Percent, value: 100, periodSeconds: 15}]}',
    ],
    ['spec.behavior = {scaleUp: {policies: []}}', 'spec.behavior.scaleUp.policies: Required value: must specify at least one Policy'],
    ['spec.behavior = {scaleDown: {policies: []}}', 'spec.behavior.scaleDown.policies: Required value: must specify at least one Policy'],
    [
      'spec.behavior = {scaleUp: {policies: [{type: Pods, value: 1, periodSeconds: 1800}]}}',
      'spec.behavior.scaleUp.stabilizationWindowSeconds = 0',
      'spec.behavior.scaleUp.selectPolicy = Max',
      'spec.behavior.scaleDown = {selectPolicy: Max, policies: [{type: Percent, value: 100, periodSeconds: 15}]}',
    ],
    [
      'spec.behavior = {scaleDown: {policies: [{type: Pods, value: 1, periodSeconds: 1800}]}}',
      'spec.behavior.scaleDown.selectPolicy = Max',
      'spec.behavior.scaleUp = {stabilizationWindowSeconds: 0, selectPolicy: Max, policies: [{type: Pods, v…conds: 15}, {type: Percent, value: 100, periodSeconds: 15}]}',
    ],
    [
      'spec.behavior = {scaleUp: {policies: [{type: Pods, value: 1, periodSeconds: 1801}]}}',
      'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
    ],
    [
      'spec.behavior = {scaleDown: {policies: [{type: Pods, value: 1, periodSeconds: 1801}]}}',
      'spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
    ],
    [
      'spec.behavior = {scaleUp: {policies: [{type: Pods, value: 0, periodSeconds: 0}]}}',
      'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
      'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 0: must be greater than zero',
    ],
    [
      'spec.behavior = {scaleDown: {policies: [{type: Pods, value: 0, periodSeconds: 0}]}}',
      'spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero',
      'spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 0: must be greater than zero',
    ],
    [
      'spec.behavior = {scaleUp: {policies: [{type: Odd, value: 1, periodSeconds: 1}]}}',
      'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Odd": supported values: "Percent", "Pods"',
    ],
    [
      'spec.behavior = {scaleDown: {policies: [{type: Odd, value: 1, periodSeconds: 1}]}}',
      'spec.behavior.scaleDown.policies[0].type: Unsupported value: "Odd": supported values: "Percent", "Pods"',
    ],
    [
      'spec.behavior = {scaleUp: {policies: [{type: Percent, value: 10, periodSeconds: 1}]}}',
      'spec.behavior.scaleUp.stabilizationWindowSeconds = 0',
      'spec.behavior.scaleUp.selectPolicy = Max',
      'spec.behavior.scaleDown = {selectPolicy: Max, policies: [{type: Percent, value: 100, periodSeconds: 15}]}',
    ],
    [
      'spec.behavior = {scaleDown: {policies: [{type: Percent, value: 10, periodSeconds: 1}]}}',
      'spec.behavior.scaleDown.selectPolicy = Max',
      'spec.behavior.scaleUp = {stabilizationWindowSeconds: 0, selectPolicy: Max, policies: [{type: Pods, v…conds: 15}, {type: Percent, value: 100, periodSeconds: 15}]}',
    ],
    [
      'spec.behavior = {scaleUp: {tolerance: -1}}',
      'spec.behavior.scaleUp.tolerance: Invalid value: "-1": must be greater than or equal to 0',
    ],
    [
      'spec.behavior = {scaleDown: {tolerance: -1}}',
      'spec.behavior.scaleDown.tolerance: Invalid value: "-1": must be greater than or equal to 0',
    ],
    [
      'spec.behavior = {scaleUp: {tolerance: 100m}}',
      'spec.behavior.scaleUp.stabilizationWindowSeconds = 0',
      'spec.behavior.scaleUp.selectPolicy = Max',
      'spec.behavior.scaleUp.policies = [{type: Pods, value: 4, periodSeconds: 15}, {type: Percent, value: 100, periodSeconds: 15}]',
      'spec.behavior.scaleDown = {selectPolicy: Max, policies: [{type: Percent, value: 100, periodSeconds: 15}]}',
    ],
    [
      'spec.behavior = {scaleDown: {tolerance: 100m}}',
      'spec.behavior.scaleDown.selectPolicy = Max',
      'spec.behavior.scaleDown.policies = [{type: Percent, value: 100, periodSeconds: 15}]',
      'spec.behavior.scaleUp = {stabilizationWindowSeconds: 0, selectPolicy: Max, policies: [{type: Pods, v…conds: 15}, {type: Percent, value: 100, periodSeconds: 15}]}',
    ],
  ],
  update: [
    [
      'spec.maxReplicas = 0',
      'spec.maxReplicas: Required value: must be set and greater than 0',
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
    ],
    ['spec.minReplicas = 2', 'spec.minReplicas = 2'],
  ],
  status: [
    ['status.currentReplicas = -1', 'status.currentReplicas: Invalid value: -1: must be greater than or equal to 0'],
    ['status.desiredReplicas = -1', 'status.desiredReplicas: Invalid value: -1: must be greater than or equal to 0'],
    ['status.currentReplicas = 1 && status.desiredReplicas = 2', 'status.desiredReplicas = 2', 'status.currentReplicas = 1'],
  ],
})
