import { celTypeOf } from '../../machinery/cel/schema/cel-type.ts'
import type { CelType } from '../../machinery/cel/types.ts'
import type { GroupVersionKind } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { toSchema } from '../../machinery/structural/to-schema.ts'
import { builtinResources } from '../../resources/builtin.ts'
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
} from '../../resources/types/apiextensions.ts'
import type { PolicyTypes } from './plan.ts'

/** The types of built-in resources, and of those that CustomResourceDefinitions describe. */
export function policyTypes(customDefinitions: () => readonly CustomResourceDefinition[]): PolicyTypes {
  const customOf = (group: string, matches: (names: CustomResourceDefinitionNames) => boolean) =>
    customDefinitions().find((d) => d.spec.group === group && matches(d.spec.names))
  const customVersion = (definition: CustomResourceDefinition | undefined, version: string) =>
    definition?.spec.versions.find((v) => v.name === version)
  return {
    kindOf(group, version, resource) {
      const builtin = builtinResources().find((d) => d.group === group && d.names.plural === resource)
      if (builtin !== undefined) return serves(builtin, version) ? { group, version, kind: builtin.names.kind } : undefined
      const definition = customOf(group, (names) => names.plural === resource)
      if (definition === undefined || customVersion(definition, version) === undefined) return undefined
      return { group, version, kind: definition.spec.names.kind }
    },
    typeOf(gvk) {
      return (
        builtinType(gvk) ??
        customType(
          customVersion(
            customOf(gvk.group, (names) => names.kind === gvk.kind),
            gvk.version,
          ),
        )
      )
    },
  }
}

const serves = (definition: ResourceDefinition, version: string) => definition.versions.some((v) => v.version === version && v.served)

function builtinType({ group, version, kind }: GroupVersionKind): CelType | undefined {
  const definition = builtinResources().find((d) => d.group === group && d.names.kind === kind && serves(d, version))
  const schema = definition?.versions.find((v) => v.version === version)?.schema()
  return schema && celTypeOf(schema, { root: true })
}

function customType(version: CustomResourceDefinitionVersion | undefined): CelType | undefined {
  const schema: object | undefined = version?.schema?.openAPIV3Schema
  return schema && celTypeOf(toSchema(schema), { root: true })
}
