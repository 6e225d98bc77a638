import type { ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import type { Review, ServerTools } from '../../apiserver/extension-points.ts'
import { denialText, resourceAttributes } from '../../apiserver/identity/authorizer.ts'
import { messageOf } from '../../base/message-of.ts'
import { asJson, asKubeObject, cloneJson, isObject, type KubeObject, parseApiVersion } from '../../machinery/object.ts'
import type { Converter, ResourceDefinition } from '../../machinery/resource/definition.ts'
import { badRequest, StatusError } from '../../machinery/status-error.ts'
import type { ConvertedObject, ObjectConversion } from '../../resources/bowsprit/object-conversion.ts'

/** Converts an object of a custom kind into each of its other versions, for a user who may create it. Nothing is stored. */
export const objectConversion =
  (definitions: Pick<ResourceRegistry, 'byKind'>): Review<ObjectConversion> =>
  async ({ input, user }, tools) => {
    const { object, apiVersion, definition, convert } = convertible(input, definitions)
    const { group, names } = definition
    const asked = resourceAttributes({
      user,
      verb: 'create',
      group,
      version: apiVersion.slice(group.length + 1),
      resource: names.plural,
      namespace: definition.scope === 'Namespaced' ? (object.metadata.namespace ?? 'default') : '',
    })
    if ((await tools.authorizer.authorize(asked)).verdict !== 'allow')
      throw new StatusError({ code: 403, reason: 'Forbidden', message: denialText(asked) })
    const versions: ConvertedObject[] = []
    for (const { version } of definition.versions)
      if (`${group}/${version}` !== apiVersion) versions.push(await convertedTo(`${group}/${version}`, { object, convert }, tools))
    return { ...input, status: { versions } }
  }

interface Convertible {
  readonly object: KubeObject
  readonly apiVersion: string
  readonly definition: ResourceDefinition
  readonly convert: Converter
}

/** @throws {StatusError} 400 if it is no object of a custom kind */
function convertible({ spec }: ObjectConversion, definitions: Pick<ResourceRegistry, 'byKind'>): Convertible {
  const given: unknown = spec?.object
  if (!isObject(given) || !isObject(given.metadata)) throw badRequest('spec.object must be an object with metadata')
  const object = asKubeObject(given)
  const { group = '', version } = parseApiVersion(String(object.apiVersion)) ?? {}
  const definition = definitions.byKind(group, String(object.kind))
  if (definition?.convert === undefined || !definition.versions.some((each) => each.version === version))
    throw badRequest(`spec.object: ${object.apiVersion} ${object.kind} is no custom kind that this cluster knows`)
  return { object, apiVersion: object.apiVersion, definition, convert: definition.convert }
}

async function convertedTo(
  apiVersion: string,
  { object, convert }: Pick<Convertible, 'object' | 'convert'>,
  { clock }: Pick<ServerTools, 'clock'>,
): Promise<ConvertedObject> {
  const beganMs = clock.monotonic()
  const milliseconds = () => Math.round((clock.monotonic() - beganMs) * 1000) / 1000
  try {
    const [converted] = await convert([cloneJson(object)], apiVersion)
    return { apiVersion, ...(converted && { object: asJson(converted) }), milliseconds: milliseconds() }
  } catch (error) {
    return { apiVersion, error: messageOf(error), milliseconds: milliseconds() }
  }
}
