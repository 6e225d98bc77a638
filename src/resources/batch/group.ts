import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { cronJobs } from './cronjobs.ts'
import { jobs } from './jobs.ts'

export const batchResources: readonly ResourceDefinition[] = [cronJobs, jobs]
