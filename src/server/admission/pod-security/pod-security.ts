import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { equalJson } from '../../../machinery/equal.ts'
import { faultText } from '../../../machinery/field-error.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { invalidObject } from '../../../machinery/status-error.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import type { Violation } from './checks.ts'
import type { PodSecurityConfiguration } from './configuration.ts'
import {
  detailText,
  isStricter,
  type LevelVersion,
  levelLabel,
  levelText,
  MODES,
  type Mode,
  type Policy,
  readPolicy,
  reasonText,
  versionLabel,
  violations,
} from './policy.ts'

/** Where the pod template of each kind stands. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  '/podtemplates': ['template'],
  '/replicationcontrollers': ['spec', 'template'],
  'apps/replicasets': ['spec', 'template'],
  'apps/deployments': ['spec', 'template'],
  'apps/statefulsets': ['spec', 'template'],
  'apps/daemonsets': ['spec', 'template'],
  'batch/jobs': ['spec', 'template'],
  'batch/cronjobs': ['spec', 'jobTemplate', 'spec', 'template'],
}

/** Pods are held to the level that their namespace enforces; what makes pods is warned of it. */
export function podSecurity({ defaults, exemptions }: PodSecurityConfiguration, { reader }: AdmissionDeps): AdmissionPlugin {
  const policyOf = (namespace: string) => readPolicy(reader.get('', 'namespaces', '', namespace)?.metadata.labels, defaults)
  const exemption = ({ namespace, user }: AdmissionRequest, spec: KubeObject['spec']): string | undefined => {
    if (exemptions.namespaces.includes(namespace)) return 'namespace'
    if (exemptions.usernames.includes(user.name)) return 'user'
    return exemptions.runtimeClasses.includes(spec?.runtimeClassName ?? '') ? 'runtimeClass' : undefined
  }
  return {
    name: 'PodSecurity',
    handles(r) {
      if (r.operation !== 'CREATE' && r.operation !== 'UPDATE') return false
      const key = `${r.resource.group}/${r.resource.resource}`
      if (key === '/pods') return r.subresource === '' || r.subresource === 'ephemeralcontainers'
      return r.subresource === '' && (key === '/namespaces' || TEMPLATES[key] !== undefined)
    },
    validate(request) {
      const { object, oldObject } = request
      if (object === undefined) return
      if (request.resource.resource === 'namespaces') return checkNamespace(request, object, oldObject)
      if (request.resource.resource === 'pods') {
        if (request.operation === 'UPDATE' && oldObject !== undefined && !isSignificant(object, oldObject)) return
        return checkPod(request, object.metadata, object.spec, true)
      }
      const template = (TEMPLATES[`${request.resource.group}/${request.resource.resource}`] ?? []).reduce<KubeObject['spec']>(
        (at, name) => at?.[name],
        object,
      )
      if (template?.spec !== undefined) checkPod(request, template.metadata ?? {}, template.spec, false)
    },
  }

  /** What only makes pods is not refused. */
  function checkPod(request: AdmissionRequest, metadata: KubeObject['metadata'], spec: KubeObject['spec'], enforced: boolean): void {
    const exempt = exemption(request, spec)
    if (exempt !== undefined) {
      request.annotate(`${PREFIX}exempt`, exempt)
      return
    }
    const { policy, faults } = policyOf(request.namespace)
    if (faults.length > 0) request.annotate(`${PREFIX}error`, `Failed to parse policy: ${joinErrors(faults.map(faultText))}`)
    const { enforce, audit, warn } = policy
    const refused = enforced ? violations(enforce, metadata, spec) : []
    if (enforced) request.annotate(`${PREFIX}enforce-policy`, levelText(enforce))
    const audited = violations(audit, metadata, spec)
    if (audited.length > 0) request.annotate(`${PREFIX}audit-violations`, wouldViolate(audit, audited))
    if (refused.length > 0) throw refusal(request, `violates PodSecurity "${levelText(enforce)}": ${detailText(refused)}`)
    const warned = violations(warn, metadata, spec)
    if (warned.length > 0) request.warn(wouldViolate(warn, warned))
  }

  function checkNamespace(request: AdmissionRequest, namespace: KubeObject, old: KubeObject | undefined): void {
    const { policy, faults } = readPolicy(namespace.metadata.labels, defaults)
    const before = readPolicy(old?.metadata.labels, defaults)
    // What was wrong before may stay wrong.
    if (faults.length > 0 && !equalJson(faults, before.faults))
      throw invalidObject({ group: '', kind: 'Namespace' }, namespace.metadata.name ?? '', faults)
    const exempt = exemptions.namespaces.includes(namespace.metadata.name ?? '')
    if (old !== undefined && !isTightened(before.policy.enforce, policy.enforce)) return
    if (exempt) warnOfExemption(request, namespace, policy, defaults)
    if (exempt || old === undefined) return
    const warnings = existingWarnings(reader.list('', 'pods', namespace.metadata.name), policy.enforce)
    if (warnings.length === 0) return
    request.warn(
      `existing pods in namespace "${namespace.metadata.name}" violate the new PodSecurity enforce level "${levelText(policy.enforce)}"`,
    )
    for (const warning of warnings) request.warn(warning)
  }
}

const PREFIX = 'pod-security.kubernetes.io/'

const wouldViolate = (lv: LevelVersion, found: readonly Violation[]) => `would violate PodSecurity "${levelText(lv)}": ${detailText(found)}`

function isTightened(from: LevelVersion, to: LevelVersion): boolean {
  if (to.level === 'privileged' || equalJson(from, to)) return false
  return isStricter(to.level, from.level) || from.version !== to.version
}

/** Labels without effect are told to whoever sets them. */
function warnOfExemption(request: AdmissionRequest, { metadata }: KubeObject, policy: Policy, defaults: Policy): void {
  const same = (mode: Mode) =>
    (policy[mode].level === 'privileged' && defaults[mode].level === 'privileged') || equalJson(policy[mode], defaults[mode])
  if (MODES.every((mode) => policy[mode].level === 'privileged') || MODES.every(same)) return
  const labels = metadata.labels ?? {}
  const said = MODES.filter(
    (mode) => policy[mode].level !== 'privileged' && (Object.hasOwn(labels, levelLabel(mode)) || Object.hasOwn(labels, versionLabel(mode))),
  ).map((mode) => `${mode}=${levelText(policy[mode])}`)
  request.warn(`namespace "${metadata.name}" is exempt from Pod Security, and the policy (${said.join(', ')}) will be ignored`)
}

/** So many pods are looked at when a namespace tightens. */
const MOST_PODS = 3000

/** `a (and 2 other pods): hostPort, …`: pods that break the same rules are told together. */
function existingWarnings(pods: readonly KubeObject[], enforce: LevelVersion): string[] {
  const byReason = new Map<string, string[]>()
  const names = pods.slice(0, MOST_PODS).toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  for (const pod of names) {
    const found = violations(enforce, pod.metadata, pod.spec)
    if (found.length === 0) continue
    const reason = reasonText(found)
    byReason.set(reason, [...(byReason.get(reason) ?? []), pod.metadata.name ?? ''])
  }
  return [...byReason].map(([reason, [first = '', ...others]]) => {
    const more = others.length === 0 ? '' : ` (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`
    return `${first}${more}: ${reason}`
  })
}

/** Updates that change no image and add no container cannot make a pod less secure. */
function isSignificant(pod: KubeObject, old: KubeObject): boolean {
  const images = (o: KubeObject) =>
    [o.spec.initContainers, o.spec.containers, o.spec.ephemeralContainers].map((list) =>
      (list ?? []).map((c: { name: string; image: string }) => [c.name, c.image]),
    )
  const profiles = (o: KubeObject) =>
    Object.entries(o.metadata.annotations ?? {}).filter(([key]) => /^(container\.)?(apparmor|seccomp)\.security/.test(key))
  return !equalJson(images(pod), images(old)) || !equalJson(profiles(pod), profiles(old))
}
