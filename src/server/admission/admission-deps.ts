import type { ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import type { Authorizer } from '../../apiserver/identity/authorizer.ts'
import type { ResourceStore } from '../../apiserver/store/resource-store.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import type { RbacPolicy } from '../auth/rbac/rbac-policy.ts'

/** The dependencies of the built-in plugins. */
export interface AdmissionDeps {
  readonly clock: Clock
  readonly random: Random
  readonly reader: Reader
  readonly authorizer: Authorizer
  readonly policy: RbacPolicy
  readonly definitions: Pick<ResourceRegistry, 'byKind'>
  /** Creates a namespace as the server itself, through admission. */
  readonly createNamespace: (name: string) => Promise<void>
  /** Updates one stored object as the server itself (usage of quotas). A function, because the server is created after its plugins. */
  readonly change: ResourceStore['change']
}
