import { ruleTables } from '../rule-table.contract.ts'
import { podGroups } from './podgroups.ts'

const policy = 'spec.schedulingPolicy'
const template = 'spec.podGroupTemplateRef'
const immutable = (path: string) => `${path}: Invalid value: null: field is immutable`

// The faults are those of kube-apiserver 1.36.3 with the feature gate GenericWorkload.
ruleTables(podGroups, {
  object: '{metadata: {name: g, namespace: default}, spec: {schedulingPolicy: {gang: {minCount: 2}}}}',
  filled: ['spec.podGroupTemplateRef = null', 'spec.disruptionMode = Pod', 'status = {}'],
  create: [
    [`${policy} = {basic: {}}`],
    ['-spec', `${policy}: Invalid value: "": must specify one of: \`basic\`, \`gang\``],
    [`${policy}.basic = {}`, `${policy}: Invalid value: "{basic, gang}": must specify exactly one of: \`basic\`, \`gang\``],
    [`${policy}.gang.minCount = 0`, `${policy}.gang.minCount: Required value`],
    [`${policy}.gang.minCount = -1`, `${policy}.gang.minCount: Invalid value: -1: must be greater than or equal to 1`],
    [`${template} = {}`, `${template}: Invalid value: "": must specify one of: \`workload\``],
    [`${template} = {workload: {workloadName: w, podGroupTemplateName: t}}`],
    [
      `${template} = {workload: {workloadName: A_}}`,
      `${template}.workload.workloadName: Invalid value: "A_": a lowercase RFC 1123 subdomain…`,
      `${template}.workload.podGroupTemplateName: Required value`,
    ],
    [
      `${template} = {workload: {workloadName: w, podGroupTemplateName: a.b}}`,
      `${template}.workload.podGroupTemplateName: Invalid value: "a.b": must not contain dots`,
    ],
    ['metadata.name = A', 'metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain…'],
  ],
  update: [
    [`${policy}.gang.minCount = 3`, immutable(policy)],
    [
      `${policy} = {basic: {}} && ${template} = {workload: {workloadName: w, podGroupTemplateName: t}}`,
      immutable(template),
      immutable(policy),
    ],
    ['metadata.labels.a = b', 'metadata.labels = {a: b}'],
  ],
  status: [
    [
      'status.conditions = [{type: PodGroupScheduled, status: "True"}]',
      'status.conditions[0].lastTransitionTime: Required value',
      'status.conditions[0].reason: Required value',
    ],
  ],
})
