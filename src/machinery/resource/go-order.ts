import { asJson, asKubeObject, type KubeObject } from '../object.ts'
import { sortedKeys } from '../sorted-keys.ts'
import type { ResourceDefinition } from './definition.ts'

/** The object in the order in which Go writes it: custom objects are maps there, and maps are written with sorted keys. */
export const inGoOrder = (
  object: KubeObject,
  { group, customDefinition }: Pick<ResourceDefinition, 'group' | 'customDefinition'>,
): KubeObject =>
  customDefinition !== undefined && object.apiVersion.startsWith(`${group}/`) ? asKubeObject(sortedKeys(asJson(object))) : object
