import type { ResourceRegistry } from '../../../apiserver/cache/resource-registry.ts'
import { convert } from '../../../apiserver/store/conversion.ts'
import { type KubeObject, parseApiVersion } from '../../../machinery/object.ts'
import type { Reader, ResourceDefinition } from '../../../machinery/resource/definition.ts'
import { compileLabelSelector } from '../../../machinery/selectors/label-selector.ts'
import type { ParamKind, ParamRef } from '../../../resources/types/admissionregistration.ts'
import { PolicyConfigurationError } from './policy-types.ts'

export interface ParamDeps {
  readonly reader: Reader
  readonly definitions: Pick<ResourceRegistry, 'byKind'>
}

/** The resource of a parameter kind. Throws `PolicyConfigurationError` if the kind is not served. */
export function paramDefinition(kind: ParamKind, { definitions }: ParamDeps): ResourceDefinition {
  const gv = parseApiVersion(kind.apiVersion ?? '') ?? { group: '', version: '' }
  const found = definitions.byKind(gv.group, kind.kind ?? '')
  if (found?.versions.some((v) => v.served && v.version === gv.version) !== true || found === undefined)
    throw new PolicyConfigurationError(
      `failed to find resource referenced by paramKind: '${gv.group}/${gv.version}, Kind=${kind.kind ?? ''}'`,
    )
  return found
}

/**
 * The parameters of a binding for a request in a namespace: the policy is applied once for each. One `undefined` means a policy without
 * parameters; an empty list means that it does not apply. Throws `PolicyConfigurationError`.
 */
export async function collectParams(
  kind: ParamKind | undefined,
  ref: ParamRef | undefined,
  namespace: string,
  deps: ParamDeps,
): Promise<readonly (KubeObject | undefined)[]> {
  if (kind === undefined || ref === undefined) return [undefined]
  const definition = paramDefinition(kind, deps)
  const found = select(definition, ref, namespace, deps.reader)
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny')
    throw new PolicyConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction')
  return Promise.all(found.map((object) => convert(definition, object, kind.apiVersion ?? object.apiVersion)))
}

function select(definition: ResourceDefinition, ref: ParamRef, namespace: string, reader: Reader): readonly KubeObject[] {
  const { group, resource } = definition.storedAs ?? { group: definition.group, resource: definition.names.plural }
  const where = namespaceOf(definition, ref, namespace)
  if (ref.name) {
    const one = reader.get(group, resource, where, ref.name)
    return one === undefined ? [] : [one]
  }
  const selector = compileLabelSelector(ref.selector ?? {})
  const all = reader.list(group, resource, definition.scope === 'Namespaced' ? where : undefined)
  return all.filter((o) => selector.matches(o.metadata.labels ?? {}))
}

function namespaceOf(definition: ResourceDefinition, ref: ParamRef, namespace: string): string {
  if (definition.scope === 'Cluster') {
    if (ref.namespace) throw new PolicyConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`')
    return ''
  }
  const where = ref.namespace || namespace
  if (where === '')
    throw new PolicyConfigurationError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources')
  return where
}
