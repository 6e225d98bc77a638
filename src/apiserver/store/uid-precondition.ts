import { conflict, type GroupResource, type StatusError } from '../../machinery/status-error.ts'

/** 409: the object of this name has another uid than the client expects. `key`: the object's key in Kubernetes' etcd. */
export function uidPrecondition(
  about: GroupResource,
  name: string,
  at: { readonly key: string; readonly given: string; readonly standing: string },
): StatusError {
  return failedPrecondition(about, name, { ...at, field: 'UID' })
}

/** 409: a precondition of a write that the storage layer of Kubernetes checks. `key`: the object's key in Kubernetes' etcd. */
export function failedPrecondition(
  about: GroupResource,
  name: string,
  at: { readonly field: 'UID' | 'ResourceVersion'; readonly key: string; readonly given: string; readonly standing: string },
): StatusError {
  const why = `Precondition failed: ${at.field} in precondition: ${at.given}, ${at.field} in object meta: ${at.standing}`
  return conflict(about, name, `StorageError: invalid object, Code: 4, Key: ${at.key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`)
}
