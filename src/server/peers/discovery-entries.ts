import { isObject, type Json, type JsonObject } from '../../machinery/object.ts'

/** The entries of a list in a discovery document; none if it is no list. */
export const entriesOf = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** The name of a group (`APIGroupDiscovery`); undefined for the core group. */
export const groupName = ({ metadata }: JsonObject): Json | undefined =>
  metadata !== undefined && isObject(metadata) ? metadata.name : undefined
