/** What tables of rules import in place of `src/resources/rule-table.contract.ts` and `node:test`: they are collected, no test runs. */
import type { ResourceDefinition } from '../../src/machinery/resource/definition.ts'
import type { RuleTables } from '../../src/resources/rule-table.contract.ts'

export { definitionOf, RuleTrial } from '../../src/resources/rule-table.contract.ts'

export const collected: { readonly definition: ResourceDefinition; readonly tables: RuleTables }[] = []

export const ruleTables = (definition: ResourceDefinition, tables: RuleTables): void => void collected.push({ definition, tables })

export function test(): void {}

export function describe(): void {}
