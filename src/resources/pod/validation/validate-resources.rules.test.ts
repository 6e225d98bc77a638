import { pods } from '../../core/pods.ts'
import { ruleTables } from '../../rule-table.contract.ts'

ruleTables(pods, {
  object: `
metadata: {name: p}
spec: {serviceAccountName: default, containers: [{name: main, image: app}]}
`,
  create: [
    [
      'spec.containers[0].resources = {requests: {cpu: 1}}',
      'spec.containers[0].resources.requests.cpu = "1"',
      'status.qosClass = Burstable',
    ],
    [
      'spec.containers[0].resources = {limits: {cpu: 1}}',
      'spec.containers[0].resources.limits.cpu = "1"',
      'spec.containers[0].resources.requests = {cpu: "1"}',
      'status.qosClass = Burstable',
    ],
    [
      'spec.containers[0].resources = {requests: {cpu: 2}, limits: {cpu: 1}}',
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ],
    [
      'spec.containers[0].resources = {requests: {cpu: 1}, limits: {cpu: 1000m}}',
      'spec.containers[0].resources.requests.cpu = "1"',
      'spec.containers[0].resources.limits.cpu = "1"',
      'status.qosClass = Burstable',
    ],
    [
      'spec.containers[0].resources = {requests: {cpu: -1}}',
      'spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ],
    [
      'spec.containers[0].resources = {limits: {memory: -1}}',
      'spec.containers[0].resources.limits[memory]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.containers[0].resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0',
    ],
    [
      'spec.containers[0].resources = {requests: {bogus: 1}}',
      'spec.containers[0].resources.requests[bogus]: Invalid value: "bogus": must be a standard resource type or fully qualified',
      'spec.containers[0].resources.requests[bogus]: Invalid value: "bogus": must be a standard resource for containers',
    ],
    [
      'spec.containers[0].resources = {requests: {storage: 1}}',
      'spec.containers[0].resources.requests[storage]: Invalid value: "storage": must be a standard resource for containers',
    ],
    [
      'spec.containers[0].resources = {requests: {pods: 1}}',
      'spec.containers[0].resources.requests[pods]: Invalid value: "pods": must be a standard resource for containers',
    ],
    [
      'spec.containers[0].resources = {requests: {"a b": 1}}',
      `spec.containers[0].resources.requests[a b]: Invalid value: "a b": name part must consist of alphanum…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.containers[0].resources.requests[a b]: Invalid value: "a b": must be a standard resource for containers',
    ],
    ['spec.containers[0].resources = {requests: {kubernetes.io/x: 1}}', 'spec.containers[0].resources.requests[kubernetes.io/x] = "1"'],
    [
      'spec.containers[0].resources = {requests: {requests.a.b/x: 1}, limits: {requests.a.b/x: 1}}',
      `spec.containers[0].resources.limits[requests.a.b/x]: Invalid value: "requests.a.b/x": doesn't follow extended resource name standard`,
      `spec.containers[0].resources.requests[requests.a.b/x]: Invalid value: "requests.a.b/x": doesn't follow extended resource name standard`,
    ],
    [
      'spec.containers[0].resources = {requests: {a.b/gpu: 1}}',
      'spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources',
    ],
    [
      'spec.containers[0].resources = {limits: {a.b/gpu: 1}}',
      'spec.containers[0].resources.limits[a.b/gpu] = "1"',
      'spec.containers[0].resources.requests = {a.b/gpu: "1"}',
    ],
    [
      'spec.containers[0].resources = {requests: {a.b/gpu: 1}, limits: {a.b/gpu: 2}}',
      'spec.containers[0].resources.requests: Invalid value: "1": must be equal to a.b/gpu limit of 2',
    ],
    [
      'spec.containers[0].resources = {requests: {a.b/gpu: 3}, limits: {a.b/gpu: 2}}',
      'spec.containers[0].resources.requests: Invalid value: "3": must be equal to a.b/gpu limit of 2',
    ],
    [
      'spec.containers[0].resources = {limits: {a.b/gpu: 1500m}}',
      'spec.containers[0].resources.limits[a.b/gpu]: Invalid value: "1500m": must be an integer',
      'spec.containers[0].resources.requests[a.b/gpu]: Invalid value: "1500m": must be an integer',
    ],
    [
      'spec.containers[0].resources = {limits: {a.b/gpu: 1Ei}}',
      'spec.containers[0].resources.limits[a.b/gpu]: Invalid value: "1Ei": must be an integer',
      'spec.containers[0].resources.requests[a.b/gpu]: Invalid value: "1Ei": must be an integer',
    ],
    [
      'spec.containers[0].resources = {requests: {hugepages-2Mi: 4Mi}, limits: {hugepages-2Mi: 4Mi}}',
      'spec.containers[0].resources: Forbidden: HugePages require cpu or memory',
    ],
    [
      'spec.containers[0].resources = {requests: {hugepages-2Mi: 4Mi, cpu: 1}, limits: {hugepages-2Mi: 4Mi}}',
      'spec.containers[0].resources.requests.cpu = "1"',
      'status.qosClass = Burstable',
    ],
    [
      'spec.containers[0].resources = {requests: {hugepages-2Mi: 4Mi, memory: 1Gi}, limits: {hugepages-2Mi: 4Mi}}',
      'status.qosClass = Burstable',
    ],
    [
      'spec.containers[0].resources = {limits: {hugepages-2Mi: 3Mi, cpu: 1}}',
      'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
    ],
    [
      'spec.containers[0].resources = {requests: {hugepages-2Mi: 2Mi, cpu: 1}}',
      'spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources',
    ],
    [
      'spec.containers[0].resources = {requests: {hugepages-2Mi: 2, cpu: 1}}',
      'spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources',
      'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "2": 2 is not positive integer multiple of hugepages-2Mi',
    ],
    [
      'spec.containers[0].resources = {limits: {hugepages-0: 2Mi, cpu: 1}}',
      'spec.containers[0].resources.limits[hugepages-0]: Invalid value: "2Mi": 2Mi is not positive integer multiple of hugepages-0',
      'spec.containers[0].resources.requests[hugepages-0]: Invalid value: "2Mi": 2Mi is not positive integer multiple of hugepages-0',
    ],
    [
      'spec.containers[0].resources = {limits: {hugepages-x: 2Mi, cpu: 1}}',
      'spec.containers[0].resources.limits[hugepages-x]: Invalid value: "2Mi": 2Mi is not positive integer multiple of hugepages-x',
      'spec.containers[0].resources.requests[hugepages-x]: Invalid value: "2Mi": 2Mi is not positive integer multiple of hugepages-x',
    ],
    [
      'spec.containers[0].resources.claims = [{name: a}]',
      'spec.containers[0].resources.claims[0]: Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
    ],
    ['spec.containers[0].resources.claims = [{name: ""}]', 'spec.containers[0].resources.claims[0]: Required value'],
    ['spec.resourceClaims = [{name: a, resourceClaimName: x}] && spec.containers[0].resources.claims = [{name: a}]'],
    [
      'metadata.annotations = {kubernetes.io/config.mirror: x} && spec.nodeName = m && spec.resourceClaims = [{name: a}]',
      '[]: Forbidden: static pods do not support resource claims',
    ],
    [
      'spec.resourceClaims = [{name: b, resourceClaimName: x}, {name: a, resourceClaimName: z}] && spec.containers[0].resources.claims = [{name: c}]',
      'spec.containers[0].resources.claims[0]: Not found: "c": must be one of the names in pod.spec.resourceClaims: a, b',
    ],
    [
      'spec.resourceClaims = [{name: a, resourceClaimName: x}] && spec.containers[0].resources.claims = [{name: a}, {name: a}]',
      'spec.containers[0].resources.claims[1]: Duplicate value: "a"',
    ],
    [
      'spec.resourceClaims = [{name: a, resourceClaimName: x}] && spec.containers[0].resources.claims = [{name: a, request: r}, {name: a, request: s}]',
    ],
    [
      'spec.resourceClaims = [{name: a, resourceClaimName: x}] && spec.containers[0].resources.claims = [{name: a, request: r}, {name: a, request: r}]',
      'spec.containers[0].resources.claims[1]: Duplicate value: "a/r"',
    ],
    [
      'spec.resourceClaims = [{name: a, resourceClaimName: x}] && spec.containers[0].resources.claims = [{name: a}, {name: a, request: R}]',
      'spec.containers[0].resources.claims[1]: Duplicate value: "a"',
    ],
    [
      'spec.resourceClaims = [{name: a, resourceClaimName: x}] && spec.containers[0].resources.claims = [{name: a, request: r}, {name: a, request: s}, {name: a}]',
      'spec.containers[0].resources.claims[2]: Duplicate value: "a"',
      'spec.containers[0].resources.claims[2]: Duplicate value: "a"',
    ],
    [
      'spec.resourceClaims = [{name: a, resourceClaimName: x}] && spec.containers[0].resources.claims = [{name: a, request: R}]',
      `spec.containers[0].resources.claims[0].request: Invalid value: "R": a lowercase RFC 1123 label must …egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.resourceClaims = [{name: ""}]',
      'spec.resourceClaims[0].name: Required value',
      'spec.resourceClaims[0]: Invalid value: {"Name":"","ResourceClaimName":null,"ResourceClaimTemplateNam…ify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    ],
    [
      'spec.resourceClaims = [{name: A, resourceClaimName: x}]',
      `spec.resourceClaims[0].name: Invalid value: "A": a lowercase RFC 1123 label must consist of lower ca…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.resourceClaims = [{name: a, resourceClaimName: x}, {name: a, resourceClaimName: z}]',
      'spec.resourceClaims[1].name: Duplicate value: "a"',
    ],
    [
      'spec.resourceClaims = [{name: a}]',
      'spec.resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":null,"ResourceClaimTemplateNa…ify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    ],
    [
      'spec.resourceClaims = [{name: a, resourceClaimName: x, resourceClaimTemplateName: z}]',
      'spec.resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":"x","ResourceClaimTemplateNam…ceClaimName` or `resourceClaimTemplateName` may be specified',
    ],
    [
      'spec.resourceClaims = [{name: a, resourceClaimName: X}]',
      `spec.resourceClaims[0].resourceClaimName: Invalid value: "X": a lowercase RFC 1123 subdomain must co…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.resourceClaims = [{name: a, resourceClaimTemplateName: X}]',
      `spec.resourceClaims[0].resourceClaimTemplateName: Invalid value: "X": a lowercase RFC 1123 subdomain…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['spec.containers[0].resizePolicy = [{resourceName: cpu, restartPolicy: NotRequired}]'],
    [
      'spec.containers[0].resizePolicy = [{resourceName: "", restartPolicy: ""}]',
      'spec.containers[0].resizePolicy: Required value',
      'spec.containers[0].resizePolicy: Required value',
    ],
    [
      'spec.containers[0].resizePolicy = [{resourceName: disk, restartPolicy: Maybe}]',
      'spec.containers[0].resizePolicy: Unsupported value: "disk": supported values: "cpu", "memory"',
      'spec.containers[0].resizePolicy: Unsupported value: "Maybe": supported values: "NotRequired", "RestartContainer"',
    ],
    [
      'spec.containers[0].resizePolicy = [{resourceName: cpu, restartPolicy: NotRequired}, {resourceName: cpu, restartPolicy: NotRequired}]',
      'spec.containers[0].resizePolicy[1]: Duplicate value: "cpu"',
    ],
    ['spec.containers[0].resizePolicy = [{resourceName: memory, restartPolicy: RestartContainer}]'],
    [
      'spec.restartPolicy = Never && spec.containers[0].resizePolicy = [{resourceName: memory, restartPolicy: RestartContainer}]',
      "spec.containers[0].resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when pod `restartPolicy` is 'Never'",
    ],
    ['spec.restartPolicy = Never && spec.containers[0].resizePolicy = [{resourceName: memory, restartPolicy: NotRequired}]'],
    ['spec.resources = {requests: {cpu: 1}}', 'spec.resources.requests.cpu = "1"', 'status.qosClass = Burstable'],
    [
      'spec.resources = {limits: {cpu: 1, memory: 1Gi}}',
      'spec.resources.limits.cpu = "1"',
      'spec.resources.requests = {cpu: "1", memory: "1Gi"}',
      'status.qosClass = Guaranteed',
    ],
    [
      'spec.resources = {requests: {a.b/gpu: 1}}',
      'spec.resources.requests[a.b/gpu]: Unsupported value: "a.b/gpu": supported values: "cpu", "hugepages-", "memory"',
      'spec.resources.limits: Required value: Limit must be set for non overcommitable resources',
    ],
    [
      'spec.resources = {requests: {bogus: 1}}',
      'spec.resources.requests[bogus]: Invalid value: "bogus": must be a standard resource type or fully qualified',
    ],
    [
      'spec.resources = {requests: {ephemeral-storage: 1}}',
      'spec.resources.requests[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"',
    ],
    [
      'spec.resources = {requests: {cpu: 2}, limits: {cpu: 1}}',
      'spec.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ],
    [
      'spec.resources = {claims: [{name: a}]}',
      'spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level',
      'spec.resources.claims[0]: Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
    ],
    [
      'spec.resources = {requests: {cpu: 1}} && spec.containers[0].resources = {requests: {cpu: 2}}',
      'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
    ],
    [
      'spec.resources = {requests: {cpu: 2}} && spec.containers[0].resources = {requests: {cpu: 2}}',
      'spec.containers[0].resources.requests.cpu = "2"',
      'spec.resources.requests.cpu = "2"',
      'status.qosClass = Burstable',
    ],
    [
      'spec.resources = {limits: {cpu: 1}} && spec.containers[0].resources = {limits: {cpu: 2}}',
      'spec.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      'spec.resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1',
    ],
    [
      'spec.resources = {limits: {memory: 2Gi}} && spec.containers[0].resources = {limits: {cpu: 2}}',
      'spec.containers[0].resources.limits.cpu = "2"',
      'spec.containers[0].resources.requests = {cpu: "2"}',
      'spec.resources.requests = {cpu: "2", memory: "2Gi"}',
      'status.qosClass = Burstable',
    ],
    [
      'spec.resources = {limits: {cpu: 2}} && spec.containers[0].resources = {limits: {cpu: 2}}',
      'spec.containers[0].resources.limits.cpu = "2"',
      'spec.containers[0].resources.requests = {cpu: "2"}',
      'spec.resources.limits.cpu = "2"',
      'spec.resources.requests = {cpu: "2"}',
      'status.qosClass = Burstable',
    ],
    [
      'spec.resources = {limits: {cpu: 1}} && spec.initContainers = [{name: i, image: x, resources: {limits: {cpu: 2}}}]',
      'spec.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ],
    [
      'spec.resources = {limits: {hugepages-2Mi: 4Mi, cpu: 1}} && spec.containers[0].resources = {limits: {hugepages-2Mi: 2Mi, cpu: 1}}',
      'spec.containers[0].resources.limits.cpu = "1"',
      'spec.containers[0].resources.requests = {cpu: "1", hugepages-2Mi: "2Mi"}',
      'spec.resources.limits.cpu = "1"',
      'spec.resources.requests = {cpu: "1", hugepages-2Mi: "4Mi"}',
      'status.qosClass = Burstable',
    ],
    [
      'spec.resources = {requests: {cpu: 1}} && spec.containers[0].resources = {limits: {hugepages-2Mi: 2Mi, cpu: 1}}',
      'spec.containers[0].resources.limits.cpu = "1"',
      'spec.containers[0].resources.requests = {cpu: "1", hugepages-2Mi: "2Mi"}',
      'spec.resources.requests.cpu = "1"',
      'spec.resources.requests.hugepages-2Mi = "2Mi"',
      'spec.resources.limits = {hugepages-2Mi: "2Mi"}',
      'status.qosClass = Burstable',
    ],
    [
      'spec.resources = {requests: {hugepages-2Mi: 2Mi, cpu: 1}} && spec.containers[0].resources = {limits: {hugepages-2Mi: 2Mi, cpu: 1}}',
      'spec.resources.limits: Required value: Limit must be set for non overcommitable resources',
    ],
    [
      'spec.resources = {limits: {hugepages-2Mi: 2Mi, cpu: 1}} && spec.containers[0].resources = {limits: {hugepages-2Mi: 4Mi, cpu: 1}}',
      'spec.resources.requests[hugepages-2Mi]: Invalid value: "2Mi": must be greater than or equal to aggregate container requests of 4Mi',
      'spec.resources.limits[hugepages-2Mi]: Invalid value: "2Mi": must be greater than or equal to aggregate container limits of 4Mi',
      'spec.resources.containers[0][hugepages-2Mi].limits: Invalid value: "4Mi": must be less than or equal to pod limits of 2Mi',
    ],
    [
      'spec.resources = {requests: {cpu: 1}} && spec.containers[0].resources = {requests: {cpu: 500m, memory: 1Gi}}',
      'spec.resources.requests.cpu = "1"',
      'status.qosClass = Burstable',
    ],
    ['spec.resources = {} && spec.containers[0].resources = {requests: {cpu: 1}}', 'spec.containers[0].resources.requests.cpu = "1"'],
    ['spec.os = {name: windows} && spec.resources = {limits: {cpu: 1}}', 'spec.resources: Forbidden: may not be set for a windows pod'],
    [
      'spec.resources = {limits: {cpu: 4}} && spec.containers[0].resources = {requests: {cpu: 1}} && spec.initContainers = [{name: s, image: x, restartPolicy: Always, resources: {requests: {cpu: 2}}}, {name: i, image: x, resources: {requests: {cpu: 1500m}}}]',
      'spec.containers[0].resources.requests.cpu = "1"',
      'spec.resources.limits.cpu = "4"',
      'spec.resources.requests = {cpu: "3500m"}',
      'spec.initContainers[0].resources.requests.cpu = "2"',
      'spec.initContainers[0].imagePullPolicy = Always',
      'spec.initContainers[0].terminationMessagePath = /dev/termination-log',
      'spec.initContainers[0].terminationMessagePolicy = File',
      'spec.initContainers[1].imagePullPolicy = Always',
      'spec.initContainers[1].terminationMessagePath = /dev/termination-log',
      'spec.initContainers[1].terminationMessagePolicy = File',
      'status.qosClass = Burstable',
    ],
    [
      'spec.resources = {limits: {memory: 4}} && spec.containers[0].resources = {requests: {memory: 1}} && spec.initContainers = [{name: i, image: x, resources: {requests: {memory: 2}}}]',
      'spec.containers[0].resources.requests.memory = "1"',
      'spec.resources.limits.memory = "4"',
      'spec.resources.requests = {memory: "2"}',
      'spec.initContainers[0].resources.requests.memory = "2"',
      'spec.initContainers[0].imagePullPolicy = Always',
      'spec.initContainers[0].terminationMessagePath = /dev/termination-log',
      'spec.initContainers[0].terminationMessagePolicy = File',
      'status.qosClass = Burstable',
    ],
  ],
})
