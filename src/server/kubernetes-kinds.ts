import type { Kinds } from '../apiserver/kinds.ts'
import { documentation } from '../resources/documentation.ts'
import { readGenerated } from '../resources/generated-files.ts'
import { goPackageOf, isKnownKind, isUnservedKind } from '../resources/known-kinds.ts'
import { builtinSchema, isBuiltinKind, kindOfOpenapiName, schemaByOpenapiName } from '../resources/schema.ts'

/** Kubernetes' built-in types, as defined in `resources/`. */
export const kubernetesKinds: Kinds = {
  schema: (group, version, kind) => builtinSchema(group, version, kind)(),
  has: isBuiltinKind,
  isUnserved: isUnservedKind,
  goPackage: goPackageOf,
  isKnown: isKnownKind,
  byOpenapiName: schemaByOpenapiName,
  kindOf: kindOfOpenapiName,
  documentation,
  stamp: () => readGenerated('stamp.json'),
}
