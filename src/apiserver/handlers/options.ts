import { type FieldError, forbidden, invalid, invalidNamed, notSupported, notSupportedText, required } from '../../machinery/field-error.ts'
import { asKubeObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { invalidObject } from '../../machinery/status-error.ts'
import { validateFieldManager } from '../../machinery/validation/object-meta.ts'
import { parseFlag, parseInt64 } from '../request/go-values.ts'
import type { Query } from '../request/query.ts'
import type { DeleteOptions } from '../store/plan-delete.ts'
import { readSelectors } from './read/selection.ts'

const META = 'meta.k8s.io'

/** `meta.k8s.io/v1 ListOptions`, as far as the server reads them. */
export interface ListOptions {
  readonly labelSelector: string
  readonly fieldSelector: string
  readonly watch: boolean
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  readonly timeoutSeconds: number | undefined
  readonly limit: number
  readonly continue: string
}

/** Parses and validates list options; throws 400 for unreadable values, 422 for invalid combinations. */
export function listOptions(query: Query, watch: boolean): ListOptions {
  const initial = query.get('sendInitialEvents')
  const timeout = query.get('timeoutSeconds')
  const limit = query.get('limit')
  const options = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    watch,
    allowWatchBookmarks: parseFlag(query.get('allowWatchBookmarks')),
    sendInitialEvents: initial === undefined ? undefined : parseFlag(initial),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: timeout === undefined ? undefined : parseInt64(timeout),
    limit: limit === undefined ? 0 : parseInt64(limit),
    continue: query.get('continue') ?? '',
  }
  const complete = watch && isLegacyWatch(options) ? { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : options
  const faults = watch ? watchFaults(complete) : listFaults(complete)
  // Selectors are read before the options are compared.
  if (faults.length > 0) readSelectors(complete)
  refuse('ListOptions', faults)
  return complete
}

/** True for a watch from the present state whose client does not know `sendInitialEvents`: Kubernetes sets it. */
const isLegacyWatch = (o: ListOptions): boolean =>
  o.sendInitialEvents === undefined && o.resourceVersionMatch === '' && (o.resourceVersion === '' || o.resourceVersion === '0')

const MATCH = 'resourceVersionMatch'

function listFaults(o: ListOptions): FieldError[] {
  const faults: FieldError[] = []
  if (o.resourceVersionMatch !== '') {
    if (o.resourceVersion === '') faults.push(forbidden(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'))
    if (o.continue !== '') faults.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'))
    if (o.resourceVersionMatch !== 'Exact' && o.resourceVersionMatch !== 'NotOlderThan') {
      faults.push(notSupported(MATCH, o.resourceVersionMatch, ['Exact', 'NotOlderThan', '']))
    }
    if (o.resourceVersionMatch === 'Exact' && o.resourceVersion === '0') {
      faults.push(forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    }
  }
  if (o.sendInitialEvents !== undefined) faults.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  return faults
}

function watchFaults(o: ListOptions): FieldError[] {
  const match = o.resourceVersionMatch
  const faults: FieldError[] = []
  if (o.sendInitialEvents !== undefined && match !== 'NotOlderThan')
    faults.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
  if (match === '') return faults
  if (o.sendInitialEvents === undefined)
    faults.push(forbidden(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'))
  if (match !== 'NotOlderThan') faults.push(notSupported(MATCH, match, ['NotOlderThan']))
  if (o.continue !== '') faults.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'))
  return faults
}

/** The options of create, update and patch requests. */
export interface WriteOptions {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'
  readonly dryRun: boolean
  readonly dryRuns: readonly string[]
  readonly fieldManager: string
  readonly fieldValidation: FieldValidation
  readonly force: boolean | undefined
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** Parses and validates the options of create, update and patch. `apply`: a server-side apply patch. */
export function writeOptions(kind: WriteOptions['kind'], query: Query, apply: boolean | undefined): WriteOptions {
  const dryRuns = query.all('dryRun')
  const fieldManager = query.get('fieldManager') ?? ''
  const fieldValidation = query.get('fieldValidation') ?? ''
  const force = kind === 'PatchOptions' && query.get('force') !== undefined ? parseFlag(query.get('force')) : undefined
  const faults: FieldError[] = []
  if (kind === 'PatchOptions') {
    if (apply !== true && force !== undefined) faults.push(forbidden('force', 'may not be specified for non-apply patch'))
    if (apply === true && fieldManager === '') faults.push(required('fieldManager', 'is required for apply patch'))
  }
  faults.push(...validateFieldManager(fieldManager, 'fieldManager'), ...dryRunFaults(dryRuns))
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(fieldValidation))
    faults.push(notSupportedText('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']))
  refuse(kind, faults)
  return {
    kind,
    dryRun: dryRuns.length > 0,
    dryRuns,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
    force,
  }
}

/** The options as the object that admission sees. */
export function optionsObject(o: WriteOptions): KubeObject {
  return asKubeObject({
    kind: o.kind,
    apiVersion: `${META}/v1`,
    ...(o.dryRuns.length > 0 && { dryRun: o.dryRuns }),
    ...(o.fieldManager !== '' && { fieldManager: o.fieldManager }),
    ...(o.fieldValidation !== 'Warn' && { fieldValidation: o.fieldValidation }),
    ...(o.force !== undefined && { force: o.force }),
  })
}

/** The options of a delete, and its preconditions. */
export interface DeleteRequest extends DeleteOptions {
  readonly dryRun: boolean
  /** Delete an object that cannot be read: `ignoreStoreReadErrorWithClusterBreakingPotential`. Always false while that feature is off. */
  readonly unreadable: boolean
  /** The options as admission sees them. */
  readonly object: KubeObject
}

/** The feature gate of {@link IGNORE_READ_ERRORS}, which is off by default. */
const UNSAFE_DELETION = 'AllowUnsafeMalformedObjectDeletion'
const IGNORE_READ_ERRORS = 'ignoreStoreReadErrorWithClusterBreakingPotential'

/** DeleteOptions from the query, for a delete without a body. */
export function deleteOptionsOfQuery(query: Query, gates?: ReadonlySet<string>): DeleteRequest {
  const text = (name: string) => query.get(name)
  const grace = text('gracePeriodSeconds')
  const orphan = text('orphanDependents')
  const policy = text('propagationPolicy')
  const body: JsonObject = {}
  if (query.all('dryRun').length > 0) body.dryRun = [...query.all('dryRun')]
  if (grace !== undefined) body.gracePeriodSeconds = parseInt64(grace)
  if (orphan !== undefined) body.orphanDependents = parseFlag(orphan)
  if (policy !== undefined) body.propagationPolicy = policy
  const uid = text('uid')
  const resourceVersion = text('resourceVersion')
  if (uid || resourceVersion) body.preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
  const unreadable = text(IGNORE_READ_ERRORS)
  if (unreadable !== undefined) body[IGNORE_READ_ERRORS] = parseFlag(unreadable)
  return deleteOptions(body, gates)
}

/** Validates decoded DeleteOptions. */
export function deleteOptions(given: JsonObject, gates: ReadonlySet<string> = NO_GATES): DeleteRequest {
  const { [IGNORE_READ_ERRORS]: ignoring, ...rest } = given
  // While the feature is off, Kubernetes drops the option.
  const body: JsonObject = gates.has(UNSAFE_DELETION) ? given : rest
  const unreadable = gates.has(UNSAFE_DELETION) && ignoring === true
  const faults: FieldError[] = []
  const dryRuns = Array.isArray(body.dryRun) ? body.dryRun.map(String) : []
  const policy = typeof body.propagationPolicy === 'string' ? body.propagationPolicy : undefined
  const orphan = typeof body.orphanDependents === 'boolean' ? body.orphanDependents : undefined
  if (policy !== undefined && orphan !== undefined) {
    faults.push(invalidNamed('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'))
  }
  if (policy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(policy)) {
    faults.push(notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']))
  }
  faults.push(...dryRunFaults(dryRuns))
  if (unreadable)
    faults.push(...ALONE.filter((field) => isGiven(body[field])).map((field) => unsafeFault(`cannot be set together with .${field}`)))
  refuse('DeleteOptions', faults)
  const grace = body.gracePeriodSeconds
  return {
    dryRun: dryRuns.length > 0,
    unreadable,
    gracePeriodSeconds: typeof grace === 'number' || typeof grace === 'bigint' ? (grace as number) : undefined,
    orphanDependents: orphan,
    propagationPolicy: policy,
    preconditions: preconditionsOf(body.preconditions),
    object: asKubeObject({ kind: 'DeleteOptions', apiVersion: `${META}/v1`, ...body }),
  }
}

const NO_GATES: ReadonlySet<string> = new Set()
/** With these, a deletion would have to look at the object. */
const ALONE = ['dryRun', 'propagationPolicy', 'orphanDependents', 'gracePeriodSeconds', 'preconditions'] as const
const isGiven = (value: unknown) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

/** Why an unreadable object may not be deleted like this. */
export const unsafeFault = (why: string): FieldError => invalid(IGNORE_READ_ERRORS, true, why)

function preconditionsOf(value: unknown): DeleteOptions['preconditions'] {
  if (value === null || typeof value !== 'object') return undefined
  const { uid, resourceVersion } = value as { uid?: unknown; resourceVersion?: unknown }
  return { ...(typeof uid === 'string' && { uid }), ...(typeof resourceVersion === 'string' && { resourceVersion }) }
}

function dryRunFaults(values: readonly string[]): FieldError[] {
  const bad = values.some((v) => v !== 'All')
  if (!bad) return []
  return [notSupported('dryRun', values, ['All'])]
}

export function refuse(kind: string, faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalidObject({ group: META, kind }, '', faults)
}
