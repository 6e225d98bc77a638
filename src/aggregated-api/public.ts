/**
 * `bowsprit/aggregated-api`: an API server of your own behind a cluster's, in the same process or in another. Describe your kinds; reading,
 * watching, writing, applying, tables, discovery and OpenAPI follow.
 */
export {
  type AggregatedAcceptOptions,
  type AggregatedApi,
  type AggregatedApiConfig,
  type AggregatedApiDeps,
  type AggregatedListenOptions,
  type AggregatedService,
  createAggregatedApi,
} from './aggregated-api.ts'
export { AggregatedApiError } from './aggregated-api-error.ts'
export type { AggregatedFault, AggregatedKind, AggregatedVersion } from './aggregated-kind.ts'
export type { ComputedObjects } from './computed.ts'
