import { andThen } from '../../base/steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Converter, ResourceDefinition } from '../../machinery/resource/definition.ts'
import { definitionFormat } from './definition-format.ts'
import type { OlderVersion } from './older-version.ts'

/** From https://kubernetes.io/docs/reference/using-api/deprecation-guide. */
export const OLDER_VERSIONS: readonly OlderVersion[] = [
  { group: 'apiextensions.k8s.io', version: 'v1beta1', like: 'v1', removedIn: 22, format: definitionFormat },
  { group: 'autoscaling', version: 'v2beta2', like: 'v2', removedIn: 26 },
  { group: 'batch', version: 'v1beta1', like: 'v1', removedIn: 25 },
  { group: 'coordination.k8s.io', version: 'v1beta1', like: 'v1', removedIn: 22 },
  { group: 'policy', version: 'v1beta1', like: 'v1', removedIn: 25 },
  { group: 'rbac.authorization.k8s.io', version: 'v1beta1', like: 'v1', removedIn: 22 },
]

/** The kind of `batch/v1` that `batch/v1beta1` did not have. */
const NEVER_OLDER = 'jobs'

/** The versions that Kubernetes of this minor version still had. */
export const versionsOfAge = (age: number | undefined): readonly OlderVersion[] =>
  age === undefined ? [] : OLDER_VERSIONS.filter(({ removedIn }) => removedIn > age)

/** An object in the newer version that it can be read as; itself, where there is none. */
export function inNewerVersion(object: KubeObject): KubeObject {
  const older = OLDER_VERSIONS.find(({ group, version }) => object.apiVersion === `${group}/${version}`)
  return older === undefined ? object : { ...(older.format?.toNewer(object) ?? object), apiVersion: `${older.group}/${older.like}` }
}

/** A definition that also serves what Kubernetes of this minor version served. Undefined: only what 1.36 serves. */
export function withOlderVersions(definition: ResourceDefinition, age: number | undefined): ResourceDefinition {
  if (definition.names.plural === NEVER_OLDER) return definition
  return versionsOfAge(age)
    .filter(({ group }) => group === definition.group)
    .reduce(withOlderVersion, definition)
}

function withOlderVersion(definition: ResourceDefinition, { group, version, like, format }: OlderVersion): ResourceDefinition {
  const newer = definition.versions.find((v) => v.version === like)
  if (newer === undefined) return definition
  const [apiVersion, newerApiVersion] = [`${group}/${version}`, `${group}/${like}`]
  const added = { ...newer, version, ...(format && { schema: format.schema(newer) }) }
  const toNewer = (object: KubeObject) => ({ ...(format?.toNewer(object) ?? object), apiVersion: newerApiVersion })
  const toOlder = (object: KubeObject) => ({ ...(format?.toOlder(object) ?? object), apiVersion })
  const others: Converter = definition.convert ?? ((objects) => objects)
  const convert: Converter = (objects, toApiVersion) => {
    if (objects.every((object) => object.apiVersion === toApiVersion)) return objects
    const newerOnes = objects.map((object) => (object.apiVersion === apiVersion ? toNewer(object) : object))
    if (toApiVersion !== apiVersion) return others(newerOnes, toApiVersion)
    return andThen(others(newerOnes, newerApiVersion), (converted) => converted.map(toOlder))
  }
  return { ...definition, versions: [...definition.versions, added], convert }
}
