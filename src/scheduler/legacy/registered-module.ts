import type { PredicatePolicy } from '../../sdk/scheduler-plugin/algorithm-registry.ts'

/** What an author's module has registered, as data. */
export interface RegisteredModule {
  /** The plugin that runs all of its functions: the name of its file. */
  readonly name: string
  readonly file: string
  /** Null: a function; else what its argument describes. */
  readonly predicates: Readonly<Record<string, PredicatePolicy | null>>
  /** With their weights. */
  readonly priorities: Readonly<Record<string, number>>
  readonly providers: Readonly<Record<string, { readonly predicates: readonly string[]; readonly priorities: readonly string[] }>>
  readonly algorithms: readonly string[]
}
