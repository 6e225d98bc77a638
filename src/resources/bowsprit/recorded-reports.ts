import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { controllerReports } from './controllerreports.ts'
import { fieldHistories } from './fieldhistories.ts'
import { queueReports } from './queuereports.ts'
import { requestTrails } from './requesttrails.ts'
import { watchReports } from './watchreports.ts'

/** The kinds that are served by every server that records requests. */
export const RECORDED_REPORTS: readonly ResourceDefinition[] = [requestTrails, fieldHistories, watchReports]

/** All reports that can be listed. */
export const LISTED_REPORTS: readonly ResourceDefinition[] = [...RECORDED_REPORTS, controllerReports, queueReports]
