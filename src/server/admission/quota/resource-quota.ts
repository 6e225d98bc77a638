import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import type { Draft, KubeObject } from '../../../machinery/object.ts'
import { Quantity, tryParseQuantity } from '../../../machinery/quantity.ts'
import { inScope } from '../../../resources/quota/scopes.ts'
import { type Evaluator, evaluatorOf, type Usage } from '../../../resources/quota/usage.ts'
import { listObjects } from '../../../resources/read-objects.ts'
import { RESOURCE_QUOTAS } from '../../../resources/refs.ts'
import type { ResourceQuota } from '../../../resources/types/core.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { plainError } from '../plain-error.ts'
import { type LimitedResource, limitedNames, uncoveredScopes } from './limited-resources.ts'

const GROUPLESS = { group: '', resource: 'resourcequotas' }

/**
 * Refuses what exceeds a quota of the namespace. The usage is written to the quota's status with a precondition on the version that was
 * read, so that two concurrent requests cannot both take the last unit. A quota without hard limits in its status limits nothing yet: a
 * controller sets them.
 */
export function resourceQuota(limited: readonly LimitedResource[], deps: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'ResourceQuota',
    handles(r) {
      if (r.namespace === '' || r.object === undefined || (r.operation !== 'CREATE' && r.operation !== 'UPDATE')) return false
      if (r.subresource !== '') return r.subresource === 'resize' && r.resource.resource === 'pods' && r.operation === 'UPDATE'
      return r.resource.resource !== 'namespaces'
    },
    validate(request) {
      const quotas = listObjects(deps.reader, RESOURCE_QUOTAS, request.namespace)
      if (quotas.length === 0 && limited.length === 0) return
      return charge({ ...deps, limited }, request, quotas)
    },
  }
}

interface QuotaDeps extends AdmissionDeps {
  /** The resources that require a quota. */
  readonly limited: readonly LimitedResource[]
}

async function charge(deps: QuotaDeps, request: AdmissionRequest, quotas: readonly ResourceQuota[]): Promise<void> {
  const { group, resource } = request.resource
  const { object } = request
  const evaluator = evaluatorOf(group, resource)
  const podUpdate = resource === 'pods' && request.operation === 'UPDATE' && request.subresource === ''
  if (object === undefined || (request.operation === 'UPDATE' && (!evaluator.updates || podUpdate))) return
  const concerned = quotas.filter((quota) => inScope(quota, group, resource, object) && hardNames(quota, evaluator).length > 0)
  if (concerned.length === 0 && deps.limited.length === 0) return
  for (const quota of concerned) checkNamed(request, quota, evaluator, object)
  const wanted = added(evaluator, request)
  if (wanted.size === 0) return
  if (deps.limited.length > 0) {
    const counted = new Set(concerned.flatMap((quota) => hardNames(quota, evaluator)))
    checkLimited(request, object, { limited: deps.limited, quotas, usage: evaluator.usage(object), counted })
  }
  const charged = concerned.filter((quota) => hardNames(quota, evaluator).some((name) => wanted.has(name)))
  for (const quota of charged) exceed(request, quota, evaluator, wanted)
  if (request.dryRun) return
  for (const quota of charged) {
    const name = quota.metadata.name ?? ''
    const charge = (draft: Draft<ResourceQuota>) => {
      exceed(request, draft, evaluator, wanted)
      const used: Record<string, string> = draft.status?.used ?? {}
      for (const key of hardNames(draft, evaluator)) {
        const more = wanted.get(key)
        if (more !== undefined) used[key] = amount(used[key]).add(more).toString()
      }
      draft.status = { ...draft.status, used }
    }
    await deps.change({ ...GROUPLESS, namespace: request.namespace, name }, charge, { subresource: 'status', noted: true })
  }
}

interface Limits {
  readonly limited: readonly LimitedResource[]
  readonly quotas: readonly ResourceQuota[]
  readonly usage: Usage
  /** The resources that quotas limit. */
  readonly counted: ReadonlySet<string>
}

/** Throws if the object uses a resource that requires a quota but has none. */
function checkLimited(request: AdmissionRequest, object: KubeObject, { limited, quotas, usage, counted }: Limits): void {
  const names = limitedNames(limited, request.resource, usage).filter((name) => !counted.has(name))
  if (names.length > 0) throw refusal(request, `insufficient quota to consume: ${names.join(',')}`)
  const scopes = request.resource.group === '' ? uncoveredScopes(limited, quotas, request.resource.resource, object) : ''
  if (scopes !== '') throw plainError(`insufficient quota to match these scopes: ${scopes}`)
}

const amount = (text: string | undefined): Quantity => tryParseQuantity(text ?? '0') ?? Quantity.zero

/** The resources of this quota that count such objects. */
const hardNames = (quota: ResourceQuota, evaluator: Evaluator) =>
  Object.keys(quota.status?.hard ?? {}).filter((name) => evaluator.counts(name))

function checkNamed(request: AdmissionRequest, quota: ResourceQuota, evaluator: Evaluator, object: KubeObject): void {
  const names = hardNames(quota, evaluator)
  const missing = request.operation === 'CREATE' ? evaluator.missing?.(object, names) : undefined
  if (missing !== undefined) throw refusal(request, `failed quota: ${quota.metadata.name}: ${missing}`)
  if (names.some((name) => !Object.hasOwn(quota.status?.used ?? {}, name))) {
    throw refusal(request, `status unknown for quota: ${quota.metadata.name}, resources: ${names.sort().join(',')}`)
  }
}

/** The usage that the request adds: positive amounts only. */
function added(evaluator: Evaluator, request: AdmissionRequest): Usage {
  const now = request.object === undefined ? new Map<string, Quantity>() : evaluator.usage(request.object)
  const before =
    request.operation === 'UPDATE' && request.oldObject !== undefined ? evaluator.usage(request.oldObject) : new Map<string, Quantity>()
  const more: Usage = new Map()
  for (const [name, value] of now) {
    const rest = value.sub(before.get(name) ?? Quantity.zero)
    if (rest.sign() > 0) more.set(name, rest)
  }
  return more
}

/** Throws if the quota does not allow the additional usage. */
function exceed(request: AdmissionRequest, quota: ResourceQuota, evaluator: Evaluator, wanted: Usage): void {
  const over = hardNames(quota, evaluator)
    .filter((name) => {
      const more = wanted.get(name)
      return more !== undefined && amount(quota.status?.used?.[name]).add(more).compare(amount(quota.status?.hard?.[name])) > 0
    })
    .sort()
  if (over.length === 0) return
  const list = (value: (name: string) => unknown) => over.map((name) => `${name}=${value(name)}`).join(',')
  const used = (name: string) => amount(quota.status?.used?.[name])
  throw refusal(
    request,
    `exceeded quota: ${quota.metadata.name}, requested: ${list((n) => wanted.get(n))}, used: ${list(used)}, limited: ${list((n) => amount(quota.status?.hard?.[n]))}`,
  )
}
