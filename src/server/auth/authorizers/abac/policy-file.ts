import { ConfigurationFileError, decodeConfigurationFile, readYaml } from '../../../../machinery/configuration-file.ts'
import { goDecode } from '../../../../machinery/go/go-decode.ts'
import { goBool, goString, struct } from '../../../../machinery/go/go-type.ts'
import { isObject, type Json } from '../../../../machinery/object.ts'
import { SYSTEM_AUTHENTICATED } from '../../../../machinery/resource/user.ts'

/** One line of a policy file: who may do what. `*` stands for everything (not in user and group), the empty text for nothing. */
export interface AbacPolicy {
  readonly user: string
  readonly group: string
  readonly readonly: boolean
  readonly apiGroup: string
  readonly resource: string
  readonly namespace: string
  readonly nonResourcePath: string
}

/** A policy file with a line that is none; the text is what kube-apiserver stops with. */
export class PolicyFileError extends Error {
  override readonly name = 'PolicyFileError'
  readonly code = 'invalid'
}

/** Go's scanner of lines gives up at longer ones. */
const MOST_BYTES_OF_A_LINE = 64 * 1024

/**
 * Reads a file of policies, one JSON object a line (`abac.authorization.kubernetes.io/v1beta1`, or the older form without kind and
 * version). `#` begins a comment.
 * @throws {PolicyFileError}
 */
export function readPolicies(text: string, path: string): readonly AbacPolicy[] {
  const policies: AbacPolicy[] = []
  for (const [i, whole] of text.split('\n').entries()) {
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole
    if (Buffer.byteLength(line) >= MOST_BYTES_OF_A_LINE)
      throw new PolicyFileError(`error reading policy file ${path}: bufio.Scanner: token too long`)
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    try {
      policies.push(readPolicy(line))
    } catch (error) {
      if (!(error instanceof ConfigurationFileError)) throw error
      throw new PolicyFileError(`error reading policy file ${path}, line ${i + 1}: ${line}: ${error.message}`)
    }
  }
  return policies
}

const FIELDS = { user: goString, group: goString, readonly: goBool, resource: goString, namespace: goString }

const KINDS = {
  types: {
    'abac.authorization.kubernetes.io/v1beta1 Policy': struct('v1beta1.Policy', {
      spec: struct('v1beta1.PolicySpec', { ...FIELDS, apiGroup: goString, nonResourcePath: goString }),
    }),
  },
  strict: false,
}

const OLD = struct('v0.Policy', { ...FIELDS, apiVersion: goString, kind: goString })

type Written = Partial<AbacPolicy>

function readPolicy(line: string): AbacPolicy {
  const { value } = readYaml(line)
  if (isOld(value)) {
    const { value: old, fault } = goDecode(value, OLD)
    if (fault !== undefined) throw new ConfigurationFileError(fault)
    return fromOld((old ?? {}) as Written)
  }
  const { spec } = decodeConfigurationFile(line, KINDS).value as { spec?: Written }
  return knownToAll({ ...NOTHING, ...spec })
}

/** Without kind and version, or with those that the form had before it had a name. */
function isOld(value: Json): boolean {
  if (value === null) return true
  if (!isObject(value)) return false
  const { kind, apiVersion } = value
  if (!kind && apiVersion === 'abac.authorization.kubernetes.io/v1beta1')
    throw new ConfigurationFileError('converting (v1beta1.Policy) to (v0.Policy): unknown conversion')
  return !kind || !apiVersion || (kind === 'Policy' && apiVersion === 'abac.authorization.kubernetes.io/v0')
}

const NOTHING: AbacPolicy = { user: '', group: '', readonly: false, apiGroup: '', resource: '', namespace: '', nonResourcePath: '' }

/** `*` as user or group stands for everybody who is known, and not for those who are not. */
const knownToAll = (policy: AbacPolicy): AbacPolicy =>
  policy.user === '*' || policy.group === '*' ? { ...policy, user: '', group: SYSTEM_AUTHENTICATED } : policy

/**
 * In the old form what is absent means everything: everybody who is known, every namespace, every resource, and every path where neither is
 * named.
 */
function fromOld(old: Written): AbacPolicy {
  const policy = knownToAll({ ...NOTHING, ...old })
  const { user, group, namespace, resource } = policy
  return {
    user,
    group: user === '' && group === '' ? SYSTEM_AUTHENTICATED : group,
    readonly: policy.readonly,
    apiGroup: '*',
    namespace: namespace || '*',
    resource: resource || '*',
    nonResourcePath: namespace === '' && resource === '' ? '*' : '',
  }
}
