import { bool, int, type MessageOf, many, message, one, text } from '../../../../machinery/protobuf/plain-message.ts'

export const VersionRequest = message({ version: text(1) })
export const VersionResponse = message({ version: text(1), name: text(2), runtimeVersion: text(3), apiVersion: text(4) })

const Condition = message({ type: text(1), status: bool(2), reason: text(3), message: text(4) })
const HandlerFeatures = message({ recursiveReadOnlyMounts: bool(1), userNamespaces: bool(2) })
const Handler = message({ name: text(1), features: one(2, HandlerFeatures) })
export type HandlerMessage = MessageOf<typeof Handler>

export const StatusRequest = message({ verbose: bool(1) })
export const StatusResponse = message({
  status: one(1, message({ conditions: many(1, Condition) })),
  handlers: many(3, Handler),
  features: one(4, message({ supplementalGroupsPolicy: bool(1) })),
})

/** `CgroupDriver`: 0 systemd, 1 cgroupfs. */
export const RuntimeConfigResponse = message({ linux: one(1, message({ cgroupDriver: int(1) })) })

const NetworkConfig = message({ podCidr: text(1) })
export const UpdateRuntimeConfigRequest = message({ config: one(1, message({ network: one(1, NetworkConfig) })) })
