import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { equalJson } from '../../../machinery/equal.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { invalidObject } from '../../../machinery/status-error.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { detailText, type Level, type LevelVersion, levelText, readPolicy, reasonText, violations } from './policy.ts'

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
export function podSecurity({ reader }: AdmissionDeps): AdmissionPlugin {
  const policyOf = (namespace: string) => readPolicy(reader.get('', 'namespaces', '', namespace)?.metadata.labels).policy
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
        return checkPod(request, object, policyOf(request.namespace).enforce)
      }
      const template = (TEMPLATES[`${request.resource.group}/${request.resource.resource}`] ?? []).reduce<KubeObject['spec']>(
        (at, name) => at?.[name],
        object,
      )
      if (template?.spec !== undefined) warnOf(request, template.metadata ?? {}, template.spec)
    },
  }

  function checkPod(request: AdmissionRequest, pod: KubeObject, enforce: LevelVersion): void {
    const found = violations(enforce, pod.metadata, pod.spec)
    request.annotate('pod-security.kubernetes.io/enforce-policy', levelText(enforce))
    if (found.length > 0) throw refusal(request, `violates PodSecurity "${levelText(enforce)}": ${detailText(found)}`)
    warnOf(request, pod.metadata, pod.spec)
  }

  function warnOf(request: AdmissionRequest, metadata: KubeObject['metadata'], spec: KubeObject['spec']): void {
    const { audit, warn } = policyOf(request.namespace)
    const audited = violations(audit, metadata, spec)
    if (audited.length > 0)
      request.annotate(
        'pod-security.kubernetes.io/audit-violations',
        `would violate PodSecurity "${levelText(audit)}": ${detailText(audited)}`,
      )
    const found = violations(warn, metadata, spec)
    if (found.length > 0) request.warn(`would violate PodSecurity "${levelText(warn)}": ${detailText(found)}`)
  }

  function checkNamespace(request: AdmissionRequest, namespace: KubeObject, old: KubeObject | undefined): void {
    const { policy, faults } = readPolicy(namespace.metadata.labels)
    const before = readPolicy(old?.metadata.labels)
    // What was wrong before may stay wrong.
    if (faults.length > 0 && !equalJson(faults, before.faults))
      throw invalidObject({ group: '', kind: 'Namespace' }, namespace.metadata.name ?? '', faults)
    if (old === undefined || !isTightened(before.policy.enforce, policy.enforce)) return
    const warnings = existingWarnings(reader.list('', 'pods', namespace.metadata.name), policy.enforce)
    if (warnings.length === 0) return
    request.warn(
      `existing pods in namespace "${namespace.metadata.name}" violate the new PodSecurity enforce level "${levelText(policy.enforce)}"`,
    )
    for (const warning of warnings) request.warn(warning)
  }
}

const STRICTNESS: Readonly<Record<Level, number>> = { privileged: 0, baseline: 1, restricted: 2 }

function isTightened(from: LevelVersion, to: LevelVersion): boolean {
  if (to.level === 'privileged' || equalJson(from, to)) return false
  return STRICTNESS[to.level] > STRICTNESS[from.level] || from.version !== to.version
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
