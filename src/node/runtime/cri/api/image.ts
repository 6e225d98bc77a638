import { bool, int, type MessageOf, many, message, one, text, textMap, texts } from '../../../../machinery/protobuf/plain-message.ts'
import { SandboxConfig } from './sandbox.ts'
import { Amount, FileSystemUsage } from './shared.ts'

export const ImageSpec = message({
  image: text(1),
  annotations: textMap(2),
  userSpecifiedImage: text(18),
  runtimeHandler: text(19),
  imageRef: text(20),
})

const Image = message({
  id: text(1),
  tags: texts(2),
  digests: texts(3),
  size: int(4),
  uid: one(5, Amount),
  username: text(6),
  pinned: bool(8),
})
export type ImageMessage = MessageOf<typeof Image>

export const ImageRequest = message({ image: one(1, ImageSpec) })
export const ImageStatusResponse = message({ image: one(1, Image) })
export const ListImagesResponse = message({ images: many(1, Image) })

export const ImageFsInfoResponse = message({ images: many(1, FileSystemUsage) })

export const AuthConfig = message({
  username: text(1),
  password: text(2),
  auth: text(3),
  serverAddress: text(4),
  identityToken: text(5),
  registryToken: text(6),
})
export const PullImageRequest = message({ image: one(1, ImageSpec), auth: one(2, AuthConfig), sandboxConfig: one(3, SandboxConfig) })
export const PullImageResponse = message({ imageRef: text(1) })
