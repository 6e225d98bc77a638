import { cloneJson } from '../../machinery/object.ts'
import type { Writer } from '../../machinery/resource/definition.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { createObject } from './create-object.ts'
import { deleteObject } from './delete-object.ts'
import { ownWrite } from './own-write.ts'
import type { DeleteOptions } from './plan-delete.ts'
import type { StoreDeps } from './write.ts'

/** The server's own deletes have no preconditions and no grace period. */
const AT_ONCE: DeleteOptions = {
  gracePeriodSeconds: 0,
  orphanDependents: undefined,
  propagationPolicy: undefined,
  preconditions: undefined,
}

/** Adds the writer of rules, whose writes take the whole path of a write, too. */
export function withWriter(given: Omit<StoreDeps, 'writer'>): StoreDeps {
  const { definitions } = given
  const writer: Writer = {
    async create(group, resource, object) {
      const { namespace = '', name = '' } = object.metadata
      try {
        await createObject(deps, ownWrite(definitions, { group, resource, namespace, name }), cloneJson(object), {})
        return true
      } catch (error) {
        if (isStatus(error, 'AlreadyExists')) return false
        throw error
      }
    },
    async delete(group, resource, namespace, name) {
      try {
        await deleteObject(deps, ownWrite(definitions, { group, resource, namespace, name }), AT_ONCE)
      } catch (error) {
        if (!isStatus(error, 'NotFound')) throw error
      }
    },
  }
  const deps: StoreDeps = { ...given, writer }
  return deps
}
