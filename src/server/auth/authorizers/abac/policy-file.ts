import { ConfigurationFileError, decodeConfigurationFile, readYaml } from '../../../../machinery/configuration-file.ts'
import { goDecode } from '../../../../machinery/go/go-decode.ts'
import { goBool, goString, struct } from '../../../../machinery/go/go-type.ts'
import { isObject, type Json } from '../../../../machinery/object.ts'
import { SYSTEM_AUTHENTICATED } from '../../../../machinery/resource/user.ts'

/** One line of a policy file. `*` matches everything (except for user and group), the empty text nothing. */
export interface AbacPolicy {
  readonly user: string
  readonly group: string
  readonly readonly: boolean
  readonly apiGroup: string
  readonly resource: string
  readonly namespace: string
  readonly nonResourcePath: string
}

/** A policy file with an invalid line; the message is the one with which kube-apiserver exits. */
export class PolicyFileError extends Error {
  override readonly name = 'PolicyFileError'
  readonly code = 'invalid'
}

/** Go's line scanner fails at longer lines. */
const MOST_BYTES_OF_A_LINE = 64 * 1024

/**
 * Parses a policy file, one JSON object per line (`abac.authorization.kubernetes.io/v1beta1`, or the older form without kind and version).
 * `#` starts a comment.
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

type WrittenPolicy = Partial<AbacPolicy>

function readPolicy(line: string): AbacPolicy {
  const { value } = readYaml(line)
  if (isOld(value)) {
    const { value: old, fault } = goDecode(value, OLD)
    if (fault !== undefined) throw new ConfigurationFileError(fault)
    return fromOld((old ?? {}) as WrittenPolicy)
  }
  const { spec } = decodeConfigurationFile(line, KINDS).value as { spec?: WrittenPolicy }
  return knownToAll({ ...NOTHING, ...spec })
}

/** Whether it is in the older form, without kind and version or with those of its first release. */
function isOld(value: Json): boolean {
  if (value === null) return true
  if (!isObject(value)) return false
  const { kind, apiVersion } = value
  if (!kind && apiVersion === 'abac.authorization.kubernetes.io/v1beta1')
    throw new ConfigurationFileError('converting (v1beta1.Policy) to (v0.Policy): unknown conversion')
  return !kind || !apiVersion || (kind === 'Policy' && apiVersion === 'abac.authorization.kubernetes.io/v0')
}

const NOTHING: AbacPolicy = { user: '', group: '', readonly: false, apiGroup: '', resource: '', namespace: '', nonResourcePath: '' }

/** `*` as user or group matches all authenticated users. */
const knownToAll = (policy: AbacPolicy): AbacPolicy =>
  policy.user === '*' || policy.group === '*' ? { ...policy, user: '', group: SYSTEM_AUTHENTICATED } : policy

/**
 * In the older form absent fields mean everything: all authenticated users, every namespace, every resource, and every path if neither is
 * given.
 */
function fromOld(old: WrittenPolicy): AbacPolicy {
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
