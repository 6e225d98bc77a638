import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import type { ResourceRef } from '../../../machinery/api-call.ts'
import { equalJson } from '../../../machinery/equal.ts'
import { faultText } from '../../../machinery/field-error.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import type { KubeObject, ObjectMeta } from '../../../machinery/object.ts'
import { invalidObject } from '../../../machinery/status-error.ts'
import { listObjects } from '../../../resources/read-objects.ts'
import {
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  NAMESPACES,
  POD_TEMPLATES,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  STATEFUL_SETS,
} from '../../../resources/refs.ts'
import type { Container, Pod, PodSpec, PodTemplateSpec } from '../../../resources/types/core.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { isAbout, isOf, isWrite } from '../requests-about.ts'
import type { Violation } from './checks.ts'
import type { PodSecurityConfiguration } from './configuration.ts'
import {
  detailText,
  FREE_POLICY,
  isStricter,
  type LevelVersion,
  levelLabel,
  levelText,
  MODES,
  type Mode,
  type NamespacePolicy,
  readPolicy,
  reasonText,
  versionLabel,
  violations,
} from './policy.ts'

const MAKERS: readonly ResourceRef[] = [
  POD_TEMPLATES,
  REPLICATION_CONTROLLERS,
  REPLICA_SETS,
  DEPLOYMENTS,
  STATEFUL_SETS,
  DAEMON_SETS,
  JOBS,
  CRON_JOBS,
]

/** A workload, whose pod template is in its spec. */
type WithTemplate = KubeObject<{ readonly template?: PodTemplateSpec }>

/** A pod, or the template of one, whose violations refuse the request if the level is `enforced`. */
interface Evaluated {
  readonly metadata: ObjectMeta
  readonly spec: PodSpec
  readonly enforced: boolean
}

/** The pod template of a workload. */
function templateOf(request: AdmissionRequest): PodTemplateSpec | undefined {
  if (isAbout(request, POD_TEMPLATES)) return request.object?.template
  if (isAbout(request, CRON_JOBS)) return request.object?.spec?.jobTemplate?.spec?.template
  for (const ref of [REPLICATION_CONTROLLERS, REPLICA_SETS, DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS, JOBS] as const)
    if (isAbout<WithTemplate>(request, ref)) return request.object?.spec?.template
  return undefined
}

/** Enforces the level of the namespace on pods; workloads get warnings. */
export function podSecurity({ defaults, exemptions }: PodSecurityConfiguration, { reader }: AdmissionDeps): AdmissionPlugin {
  const policyOf = (namespace: string) => readPolicy(reader.get('', 'namespaces', '', namespace)?.metadata.labels, defaults)
  const exemption = ({ namespace, user }: AdmissionRequest): string | undefined => {
    if (exemptions.namespaces.includes(namespace)) return 'namespace'
    return exemptions.usernames.includes(user.name) ? 'user' : undefined
  }
  return {
    name: 'PodSecurity',
    handles(r) {
      if (!isWrite(r)) return false
      return isPodWrite(r) || isAbout(r, NAMESPACES) || MAKERS.some((ref) => isAbout(r, ref))
    },
    validate(request) {
      if (request.object === undefined) return
      if (isAbout(request, NAMESPACES)) return checkNamespace(request, request.object, request.oldObject)
      const exempt = exemption(request)
      if (exempt !== undefined) return request.annotate(`${PREFIX}exempt`, exempt)
      return isPodWrite(request) ? checkPod(request) : checkWorkload(request)
    },
  }

  function checkPod(request: AdmissionRequest<Pod>): void {
    const { object, oldObject } = request
    const found = policyOf(request.namespace)
    if (found.faults.length === 0 && MODES.every((mode) => found.policy[mode].level === 'privileged'))
      request.annotate(`${PREFIX}enforce-policy`, levelText(FREE_POLICY.enforce))
    else if (object !== undefined && (oldObject === undefined || isSignificant(object, oldObject)))
      evaluate(request, found, { ...object, enforced: true })
  }

  /** Workloads are not refused. */
  function checkWorkload(request: AdmissionRequest): void {
    const found = policyOf(request.namespace)
    if (found.faults.length === 0 && found.policy.audit.level === 'privileged' && found.policy.warn.level === 'privileged') return
    const { metadata = {}, spec } = templateOf(request) ?? {}
    if (spec !== undefined) evaluate(request, found, { metadata, spec, enforced: false })
  }

  function evaluate(
    request: AdmissionRequest,
    { policy, faults }: ReturnType<typeof policyOf>,
    { metadata, spec, enforced }: Evaluated,
  ): void {
    if (exemptions.runtimeClasses.includes(spec.runtimeClassName ?? '')) {
      request.annotate(`${PREFIX}exempt`, 'runtimeClass')
      return
    }
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
    // An update does not have to fix existing violations.
    if (faults.length > 0 && !equalJson(faults, before.faults))
      throw invalidObject({ group: '', kind: 'Namespace' }, namespace.metadata.name ?? '', faults)
    const exempt = exemptions.namespaces.includes(namespace.metadata.name ?? '')
    if (old !== undefined && !isTightened(before.policy.enforce, policy.enforce)) return
    if (exempt) warnOfExemption(request, namespace, policy, defaults)
    if (exempt || old === undefined) return
    const warnings = existingWarnings(listObjects(reader, PODS, namespace.metadata.name), policy.enforce)
    if (warnings.length === 0) return
    request.warn(
      `existing pods in namespace "${namespace.metadata.name}" violate the new PodSecurity enforce level "${levelText(policy.enforce)}"`,
    )
    for (const warning of warnings) request.warn(warning)
  }
}

const isPodWrite = (r: AdmissionRequest): r is AdmissionRequest<Pod> =>
  isAbout(r, PODS) || (isOf(r, PODS) && r.subresource === 'ephemeralcontainers')

const PREFIX = 'pod-security.kubernetes.io/'

const wouldViolate = (lv: LevelVersion, found: readonly Violation[]) => `would violate PodSecurity "${levelText(lv)}": ${detailText(found)}`

function isTightened(from: LevelVersion, to: LevelVersion): boolean {
  if (to.level === 'privileged' || equalJson(from, to)) return false
  return isStricter(to.level, from.level) || from.version !== to.version
}

/** Warns about labels without effect in an exempt namespace. */
function warnOfExemption(request: AdmissionRequest, { metadata }: KubeObject, policy: NamespacePolicy, defaults: NamespacePolicy): void {
  const same = (mode: Mode) =>
    (policy[mode].level === 'privileged' && defaults[mode].level === 'privileged') || equalJson(policy[mode], defaults[mode])
  if (MODES.every((mode) => policy[mode].level === 'privileged') || MODES.every(same)) return
  const labels = metadata.labels ?? {}
  const said = MODES.filter(
    (mode) => policy[mode].level !== 'privileged' && (Object.hasOwn(labels, levelLabel(mode)) || Object.hasOwn(labels, versionLabel(mode))),
  ).map((mode) => `${mode}=${levelText(policy[mode])}`)
  request.warn(`namespace "${metadata.name}" is exempt from Pod Security, and the policy (${said.join(', ')}) will be ignored`)
}

/** The most pods that are checked when a namespace's level rises. */
const MOST_PODS = 3000

/** `a (and 2 other pods): hostPort, …`: pods with the same violations share a warning. */
function existingWarnings(pods: readonly Pod[], enforce: LevelVersion): string[] {
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

/** Updates that change no image and add or remove no container cannot make a pod less secure. */
function isSignificant({ spec }: Pod, old: Pod): boolean {
  const images = (list: readonly Container[] = []) => list.map(({ image }) => image)
  const known = new Map(old.spec.ephemeralContainers?.map(({ name, image }) => [name, image]))
  return (
    !equalJson(images(spec.containers), images(old.spec.containers)) ||
    !equalJson(images(spec.initContainers), images(old.spec.initContainers)) ||
    spec.ephemeralContainers?.some(({ name, image }) => !known.has(name) || known.get(name) !== image) === true
  )
}
