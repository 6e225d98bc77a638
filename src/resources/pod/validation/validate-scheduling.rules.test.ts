import { pods } from '../../core/pods.ts'
import { ruleTables } from '../../rule-table.contract.ts'

ruleTables(pods, {
  object: `
metadata: {name: p}
spec: {serviceAccountName: default, containers: [{name: main, image: app}]}
`,
  create: [
    ['spec.tolerations = [{key: k, operator: Equal, value: v}]'],
    ['spec.tolerations = [{key: k, value: v}]'],
    [
      'spec.tolerations = [{key: k, operator: Exists, value: v}]',
      'spec.tolerations[0].operator: Invalid value: "v": value must be empty when `operator` is \'Exists\'',
    ],
    [
      'spec.tolerations = [{key: k, operator: Lt, value: "1"}]',
      'spec.tolerations[0].operator: Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"',
    ],
    [
      'spec.tolerations = [{operator: Equal}]',
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
    ['spec.tolerations = [{operator: Exists}]'],
    [
      'spec.tolerations = [{key: "a b", operator: Exists}]',
      `spec.tolerations[0].key: Invalid value: "a b": name part must consist of alphanumeric characters, '-…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.tolerations = [{key: k, value: "a b"}]',
      `spec.tolerations[0].operator: Invalid value: "a b": a valid label must be an empty string or consist…validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    ['spec.tolerations = [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]'],
    [
      'spec.tolerations = [{key: k, operator: Exists, effect: NoSchedule, tolerationSeconds: 5}]',
      'spec.tolerations[0].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
    ],
    [
      'spec.tolerations = [{key: k, operator: Exists, tolerationSeconds: 5}]',
      'spec.tolerations[0].effect: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set',
    ],
    [
      'spec.tolerations = [{key: k, operator: Exists, effect: Odd}]',
      'spec.tolerations[0].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
    ['spec.tolerations = [{key: k, operator: Exists, effect: PreferNoSchedule}]'],
    ['spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]'],
    [
      'spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, maxSkew: 0, labelSelector: {}}]',
      'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
    ],
    [
      'spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, topologyKey: "", labelSelector: {}}]',
      'spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty',
    ],
    [
      'spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, whenUnsatisfiable: ScheduleAnyway, minDomains: 2, labelSelector: {}}]',
      'spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
    ],
    ['spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, minDomains: 1, labelSelector: {}}]'],
    [
      'spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, minDomains: 0, labelSelector: {}}]',
      'spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero',
    ],
    [
      'spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, nodeAffinityPolicy: Odd, labelSelector: {}}]',
      'spec.topologySpreadConstraints[0].nodeAffinityPolicy: Unsupported value: "Odd": supported values: "Honor", "Ignore"',
    ],
    [
      'spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, nodeTaintsPolicy: Honor, labelSelector: {}}]',
    ],
    [
      'spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [a], labelSelector: {matchLabels: {a: b}}}]',
    ],
    [
      'spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: ["a b"], labelSelector: {}}]',
      `spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: "a b": name part must consist of…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [a]}]',
      'spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
    ],
    [
      'spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {"a b": c}}}]',
      `spec.topologySpreadConstraints[0].labelSelector.matchLabels: Invalid value: "a b": name part must co…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, }]',
      'warning: spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
    ],
    [
      'spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}, {maxSkew: 2, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]',
      'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, DoNotSchedule}"',
    ],
    [
      'spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}, {maxSkew: 2, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}]',
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: In, values: [a]}]}]}',
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: In}]}]}',
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].match… value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists, values: [a]}]}]}',
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].match…t be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: DoesNotExist}]}]}',
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Gt, values: ["1"]}]}]}',
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Lt, values: ["1", "2"]}]}]}',
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].match…st be specified single value when `operator` is 'Lt' or 'Gt'",
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Near, values: [a]}]}]}',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].match…erator: Invalid value: "Near": not a valid selector operator',
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: In, values: ["a b"]}]}]}',
      `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].match…validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}',
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: NotIn, values: [a, b]}]}]}',
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].match…e when `operator` is 'In' or 'NotIn' for node field selector",
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: Exists}]}]}',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].match…ator: Invalid value: "Exists": not a valid selector operator',
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchFields: [{key: spec.x, operator: In, values: [a]}]}]}',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "spec.x": not a valid field selector key',
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [A_]}]}]}',
      `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].match…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {}',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution = [{weight: 0}]',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
    ],
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution = [{weight: 1}]',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference = {}',
    ],
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution = [{weight: 100}]',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference = {}',
    ],
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution = [{weight: 101}]',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100',
    ],
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution = [{weight: 5, preference: {matchExpressions: [{key: "", operator: Exists}]}}]',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: Invalid value: "": name part must be non-empty',
      `spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpres…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution = [{preference: {}}]',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
    ],
    ['spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [{topologyKey: z, labelSelector: {}}]'],
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [{topologyKey: z, namespaces: [a, B]}]',
      `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace: Invalid value…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [{topologyKey: z, namespaceSelector: {matchLabels: {"a b": c}}}]',
      `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespaceSelector.matchL…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [{topologyKey: z, labelSelector: {matchExpressions: [{key: a, operator: In}]}}]',
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpre… value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [{topologyKey: z, matchLabelKeys: [a]}]',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
    ],
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [{topologyKey: z, labelSelector: {}, matchLabelKeys: [a], mismatchLabelKeys: [b, a]}]',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys',
    ],
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [{topologyKey: z, labelSelector: {}, mismatchLabelKeys: ["a b"]}]',
      `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].mismatchLabelKeys[0]: In…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [{topologyKey: z, topologyKey: ""}]',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty',
      `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid val…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [{topologyKey: z, topologyKey: "a b"}]',
      `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid val…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution = [{weight: 101, podAffinityTerm: {topologyKey: z}}]',
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100',
    ],
    [
      'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution = [{weight: 100}]',
      'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Required value: can not be empty',
      'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Invalid value: "": name part must be non-empty',
      `spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topolog…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.labels.a = b && spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [{topologyKey: z, labelSelector: {matchLabels: {c: d}}, matchLabelKeys: [a, x], mismatchLabelKeys: [a]}]',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0][0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
    ],
    [
      'metadata.labels.a = b && spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [{topologyKey: z, labelSelector: {matchLabels: {a: b}}, matchLabelKeys: [x, a]}]',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0][1]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
    ],
    [
      'metadata.labels.a = b && spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution = [{weight: 1, podAffinityTerm: {topologyKey: z, labelSelector: {}, mismatchLabelKeys: [a]}}]',
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchExpressions = [{key: a, operator: NotIn, values: [b]}]',
    ],
    [
      'metadata.labels.a = b && spec.topologySpreadConstraints = [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [a], labelSelector: {}}]',
      'spec.topologySpreadConstraints[0].labelSelector.matchExpressions = [{key: a, operator: In, values: [b]}]',
    ],
    ['spec.schedulingGates = [{name: g}, {name: g}]', 'spec.schedulingGates[1]: Duplicate value: "g"'],
    [
      'spec.schedulingGates = [{name: "a b"}]',
      `spec.schedulingGates[0]: Invalid value: "a b": name part must consist of alphanumeric characters, '-…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.schedulingGates = [{name: g}]',
      'status.conditions = [{type: PodScheduled, status: "False", lastProbeTime: null, lastTransitionTime: … "Scheduling is blocked due to non-empty scheduling gates"}]',
    ],
    [
      'spec.nodeName = m && spec.schedulingGates = [{name: g}]',
      'spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared',
    ],
    [
      'spec.readinessGates = [{conditionType: ""}]',
      'spec.readinessGates[0].conditionType: Invalid value: "": name part must be non-empty',
      `spec.readinessGates[0].conditionType: Invalid value: "": name part must consist of alphanumeric char…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    ['spec.readinessGates = [{conditionType: a.b/c}]'],
    ['spec.preemptionPolicy = Never'],
    ['spec.preemptionPolicy = ""', 'spec.preemptionPolicy: Required value'],
    ['spec.preemptionPolicy = Odd', 'spec.preemptionPolicy: Unsupported value: "Odd": supported values: "PreemptLowerPriority", "Never"'],
    ['spec.restartPolicy = Odd', 'spec.restartPolicy: Unsupported value: "Odd": supported values: "Always", "OnFailure", "Never"'],
    [
      'spec.dnsPolicy = Odd',
      'spec.dnsPolicy: Unsupported value: "Odd": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
    [
      'spec.nodeSelector = {"a b": c}',
      `spec.nodeSelector: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_'…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.nodeSelector = {a: "b c"}',
      `spec.nodeSelector: Invalid value: "b c": a valid label must be an empty string or consist of alphanu…validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.serviceAccountName = A',
      `spec.serviceAccountName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower ca…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.nodeName = A_',
      `spec.nodeName: Invalid value: "A_": a lowercase RFC 1123 subdomain must consist of lower case alphan…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.priorityClassName = A',
      `spec.priorityClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower cas…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.runtimeClassName = ""',
      `spec.runtimeClassName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case …-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.runtimeClassName = A',
      `spec.runtimeClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.hostname = A',
      `spec.hostname: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeri…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    ['spec.subdomain = a.b', 'spec.subdomain: Invalid value: "a.b": must not contain dots'],
    ['spec.activeDeadlineSeconds = 0', 'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
    ['spec.activeDeadlineSeconds = 1'],
    ['spec.activeDeadlineSeconds = 2147483647'],
    [
      'spec.activeDeadlineSeconds = 2147483648',
      'spec.activeDeadlineSeconds: Invalid value: 2147483648: must be between 1 and 2147483647, inclusive',
    ],
    ['spec.hostnameOverride = a.b'],
    [
      'spec.hostnameOverride = A',
      `spec.hostnameOverride: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.hostnameOverride = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.b',
      'spec.hostnameOverride: Too long: may not be more than 64 bytes',
    ],
    ['spec.hostnameOverride = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.b'],
    [
      'spec.hostnameOverride = a && spec.setHostnameAsFQDN = true',
      'spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true',
    ],
    [
      'spec.hostnameOverride = a && spec.hostNetwork = true',
      'spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true',
    ],
    ['spec.overhead = {cpu: 1}', 'spec.overhead.cpu = "1"'],
    ['spec.overhead = {cpu: -1}', 'spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
    [
      'spec.overhead = {bogus: 1}',
      'spec.overhead.limits[bogus]: Invalid value: "bogus": must be a standard resource type or fully qualified',
      'spec.overhead.limits[bogus]: Invalid value: "bogus": must be a standard resource for containers',
    ],
    ['spec.dnsConfig = {nameservers: [1.1.1.1, 1.1.1.2, 1.1.1.3]}'],
    [
      'spec.dnsConfig = {nameservers: [1.1.1.1, 1.1.1.2, 1.1.1.3, 1.1.1.4]}',
      'spec.dnsConfig.nameservers: Invalid value: ["1.1.1.1","1.1.1.2","1.1.1.3","1.1.1.4"]: must not have more than 3 nameservers',
    ],
    [
      'spec.dnsConfig = {nameservers: [x]}',
      'spec.dnsConfig.nameservers[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    ['spec.dnsConfig = {searches: [a.b, .]}'],
    ['spec.dnsConfig = {searches: [a_b.c]}'],
    [
      'spec.dnsConfig = {searches: [a b]}',
      `spec.dnsConfig.searches[0]: Invalid value: "a b": a lowercase RFC 1123 subdomain must consist of low…[-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['spec.dnsConfig = {searches: [a.]}'],
    [
      'spec.dnsConfig = {searches: [s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20, s21, s22, s23, s24, s25, s26, s27, s28, s29, s30, s31]}',
    ],
    [
      'spec.dnsConfig = {searches: [s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20, s21, s22, s23, s24, s25, s26, s27, s28, s29, s30, s31, s32]}',
      'spec.dnsConfig.searches: Invalid value: ["s0","s1","s2","s3","s4","s5","s6","s7","s8","s9","s10","s1…,"s30","s31","s32"]: must not have more than 32 search paths',
    ],
    [
      'spec.dnsConfig = {searches: [a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b]}',
      'spec.dnsConfig.searches: Invalid value: ["a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.…e than 2048 characters (including spaces) in the search list',
    ],
    [
      'spec.dnsConfig = {searches: [a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b, a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b]}',
      'spec.dnsConfig.searches: Invalid value: ["a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.…e than 2048 characters (including spaces) in the search list',
    ],
    ['spec.dnsConfig = {options: [{value: "1"}]}', 'spec.dnsConfig.options[0]: Required value: must not be empty'],
    ['spec.dnsConfig = {options: [{name: ndots}]}'],
    ['spec.dnsPolicy = None', 'spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    [
      'spec.dnsPolicy = None && spec.dnsConfig = {searches: [a]}',
      'spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None',
    ],
    ['spec.dnsPolicy = None && spec.dnsConfig = {nameservers: [1.1.1.1]}'],
    [
      'spec.hostAliases = [{ip: 10.0.0.1, hostnames: [a, B]}]',
      `spec.hostAliases[0].hostnames[1]: Invalid value: "B": a lowercase RFC 1123 subdomain must consist of…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.hostAliases = [{ip: x}]',
      'spec.hostAliases[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  ],
})
