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
        body.append { writer.beginPart(.json(), to: &$0) }
        attachments.append(content.renderer(options), to: &body)
        for (metadata, record) in attachments.following {
            let encoding = metadata.encoding == "gzip" ? "gzip" : nil
            let headers = PartHeaders.attachment(filename: metadata.name, contentType: metadata.contentType, encoding: encoding)
            body.append { writer.beginPart(headers, to: &$0) }
            body.append(record)
        }
        body.append { writer.finish(to: &$0) }
    }
}
