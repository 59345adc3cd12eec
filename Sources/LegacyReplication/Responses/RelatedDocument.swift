import Documents
import Gateway
import HTTP

/// A revision as `multipart/related`: the document, then the attachments that follow it.
struct RelatedDocument {
    let content: RevisionContent
    let options: ReadOptions
    let attachments: OutgoingAttachments
    let boundary = MultipartBoundary.random()

    var contentType: String { boundary.contentType("related") }

    func append(to body: inout SegmentedBody) {
        var writer = MultipartWriter(boundary: boundary)
        var renderer = content.renderer(options)
        renderer.attachments = attachments.json
        body.append { bytes in
            writer.beginPart(.json(), to: &bytes)
            renderer.append(to: &bytes)
        }
        for (metadata, record) in attachments.following {
            let encoding = metadata.encoding == "gzip" ? "gzip" : nil
            let headers = PartHeaders.attachment(filename: metadata.name, contentType: metadata.contentType, encoding: encoding)
            body.append { writer.beginPart(headers, to: &$0) }
            body.append(record)
        }
        body.append { writer.finish(to: &$0) }
    }
}
