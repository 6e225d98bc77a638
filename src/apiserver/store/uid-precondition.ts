import { conflict, type GroupResource, type StatusError } from '../../machinery/status-error.ts'

/** 409: the object of this name has another uid than the client expects. `key`: the object's key in Kubernetes' etcd. */
export function uidPrecondition(
  about: GroupResource,
  name: string,
  at: { readonly key: string; readonly given: string; readonly standing: string },
): StatusError {
  const why = `Precondition failed: UID in precondition: ${at.given}, UID in object meta: ${at.standing}`
  return conflict(about, name, `StorageError: invalid object, Code: 4, Key: ${at.key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`)
}
