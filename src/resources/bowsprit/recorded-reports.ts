import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { fieldHistories } from './fieldhistories.ts'
import { requestTrails } from './requesttrails.ts'
import { watchReports } from './watchreports.ts'

/** The kinds that are served where requests are recorded. */
export const RECORDED_REPORTS: readonly ResourceDefinition[] = [requestTrails, fieldHistories, watchReports]
