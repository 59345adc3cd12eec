/// Certificates for tests, valid for 100 years: an authority, the servers' and client's certificates that it has signed, and two
/// self-signed ones.
package enum TestCertificates {
    /// The authority of the certificates below.
    package static let authority = PEM(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBiTCCAS+gAwIBAgIUKj718A2AYkxzpo3MNcyxHDS3v1AwCgYIKoZIzj0EAwIw
            GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMDUyNDQyWhgPMjEy
            NjEwMjgwNTI0NDJaMBkxFzAVBgNVBAMMDlRlc3QgYXV0aG9yaXR5MFkwEwYHKoZI
            zj0CAQYIKoZIzj0DAQcDQgAElKBb0p/5pgBFAo7ElovQ3qpKZ4IMXrGYr//6GUu6
            BwL2pWBbOS92lrkdTsrD8W+dAs4i6FNfccKDHntx9D5V6KNTMFEwHQYDVR0OBBYE
            FGhF4QiaIFaEZx0nSP+b/5IcvnElMB8GA1UdIwQYMBaAFGhF4QiaIFaEZx0nSP+b
            /5IcvnElMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgHVNMjbQS
            k3Hdj0y4jFvzoBUamdmG0O6EVBVmYe1/OaICIQD0jQ//+319FvmDG1YyowZ3gVfq
            XuGERX3mNLPtViaURw==
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKgFC8nO3WAr7NVvC
            1lNTuVkES42nZ/BEWNxoTWg+Xg6hRANCAASUoFvSn/mmAEUCjsSWi9Deqkpnggxe
            sZiv//oZS7oHAvalYFs5L3aWuR1OysPxb50CziLoU19xwoMee3H0PlXo
            -----END PRIVATE KEY-----
            """)

    /// For localhost and 127.0.0.1.
    package static let first = PEM(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBlTCCATugAwIBAgIUfrMMLtiArw8zwkH8BcurbeW8PLswCgYIKoZIzj0EAwIw
            GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMDUyNDQyWhgPMjEy
            NjEwMjgwNTI0NDJaMBoxGDAWBgNVBAMMD2xvY2FsaG9zdCBmaXJzdDBZMBMGByqG
            SM49AgEGCCqGSM49AwEHA0IABBOHyrjN7EW927k/O5AYz/3key8QNWFcO3Fug8/K
            5bOYPIdk161E+8YildJjpbr9MCCqCNSmsYC/Q/NaiOPoVRejXjBcMBoGA1UdEQQT
            MBGCCWxvY2FsaG9zdIcEfwAAATAdBgNVHQ4EFgQUGfKgFlzQTBQ4nwGINYhwEc3l
            38EwHwYDVR0jBBgwFoAUaEXhCJogVoRnHSdI/5v/khy+cSUwCgYIKoZIzj0EAwID
            SAAwRQIhAMvaEAE4Y+J+rZknqsZBYiGWRWsI9fCTTe00MTBO9u8RAiAn7D24ffvq
            4QC48WLuyoIDoclmjgs6P+5ST3WcCDNUHg==
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmOaCbqank4p2RI5a
            6vZJimujBWA3Ib2UBEIQWlLU1JahRANCAAQTh8q4zexFvdu5PzuQGM/95HsvEDVh
            XDtxboPPyuWzmDyHZNetRPvGIpXSY6W6/TAgqgjUprGAv0PzWojj6FUX
            -----END PRIVATE KEY-----
            """)

    /// For localhost and 127.0.0.1.
    package static let second = PEM(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBljCCATygAwIBAgIUfrMMLtiArw8zwkH8BcurbeW8PLwwCgYIKoZIzj0EAwIw
            GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMDUyNDQzWhgPMjEy
            NjEwMjgwNTI0NDNaMBsxGTAXBgNVBAMMEGxvY2FsaG9zdCBzZWNvbmQwWTATBgcq
            hkjOPQIBBggqhkjOPQMBBwNCAATqZnSkRe5Fohz3MLdKW64fiIGcNg+/5NctK77B
            wnJ4851qLVregqSIwLUp1VGE6H9sZ2jIDPE0mpvxREs3iRt7o14wXDAaBgNVHREE
            EzARgglsb2NhbGhvc3SHBH8AAAEwHQYDVR0OBBYEFL3rOsA/JJqEcet8PNyPq/dQ
            99ExMB8GA1UdIwQYMBaAFGhF4QiaIFaEZx0nSP+b/5IcvnElMAoGCCqGSM49BAMC
            A0gAMEUCIQCrPAf2T9zs7jmnLtl0F7UL4k67VkuwwVGyGS29TvZNoAIgFUK1JwFJ
            7bYcHN1JlVnLARybtGFaD4X38re9nt/4HBU=
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4V69Y+mi9fxe9Jem
            h08O0ErpW1qAJHHq2yGTklZcMlyhRANCAATqZnSkRe5Fohz3MLdKW64fiIGcNg+/
            5NctK77BwnJ4851qLVregqSIwLUp1VGE6H9sZ2jIDPE0mpvxREs3iRt7
            -----END PRIVATE KEY-----
            """)

    /// For a client.
    package static let client = PEM(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBhjCCAS2gAwIBAgIUfrMMLtiArw8zwkH8BcurbeW8PL0wCgYIKoZIzj0EAwIw
            GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMDUyNDQzWhgPMjEy
            NjEwMjgwNTI0NDNaMBMxETAPBgNVBAMMCGRldmljZSAxMFkwEwYHKoZIzj0CAQYI
            KoZIzj0DAQcDQgAEIsgIurQftgnEfxngGa+BU0ptGJ10klzzdtk6u87WhbF1EvAs
            WdrouDeTiST7BpnzIPrJzyQvPTo96UenGm22rqNXMFUwEwYDVR0lBAwwCgYIKwYB
            BQUHAwIwHQYDVR0OBBYEFDssw3gd9pHfCKFmu3LIGfVFHX3kMB8GA1UdIwQYMBaA
            FGhF4QiaIFaEZx0nSP+b/5IcvnElMAoGCCqGSM49BAMCA0cAMEQCIAZB9gsnIN8K
            JUFEGNXXU8j40pu+rqdKvDzy11FK5++nAiAs2UOclzpsSiA3XplvWAK9EC44h71y
            zKQYMxZQhqcwsQ==
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgYc8lPBVz/9eBHnpY
            xt6UT9u7Sn9hlwf/Xftlb2Zls2yhRANCAAQiyAi6tB+2CcR/GeAZr4FTSm0YnXSS
            XPN22Tq7ztaFsXUS8CxZ2ui4N5OJJPsGmfMg+snPJC89Oj3pR6cabbau
            -----END PRIVATE KEY-----
            """)

    /// Self-signed.
    package static let selfSigned = PEM(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBdTCCARugAwIBAgIUDAufSliVyQDJlXn6OmuBo4Bq1AowCgYIKoZIzj0EAwIw
            DzENMAsGA1UEAwwEcGVlcjAgFw0yNjExMjEwNTI0NDNaGA8yMTI2MTAyODA1MjQ0
            M1owDzENMAsGA1UEAwwEcGVlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJjD
            yyZvjnBbAw5MrxIqAC+920t2QItkRjnZuCEz9DDMwVKbHdvay9ATUtKDuOk7DrRf
            qyZXwygFGHmDIZEK54SjUzBRMB0GA1UdDgQWBBQE1CspTVMc3GagQekmXs2n/vl9
            LTAfBgNVHSMEGDAWgBQE1CspTVMc3GagQekmXs2n/vl9LTAPBgNVHRMBAf8EBTAD
            AQH/MAoGCCqGSM49BAMCA0gAMEUCIQD38gGG/SuNO0nUfnrKm6zhet1NPQokwIK1
            tsqwp4eLtwIgILzvABXJG9XMw927af5zTwqjfZ12lUL/QSq4WB2Tm/Y=
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpFyflU63U/DaZeb
            GbEP2dPH76mLxUE1ojBdsbI6o9uhRANCAASYw8smb45wWwMOTK8SKgAvvdtLdkCL
            ZEY52bghM/QwzMFSmx3b2svQE1LSg7jpOw60X6smV8MoBRh5gyGRCueE
            -----END PRIVATE KEY-----
            """)

    /// Self-signed, and not trusted by any test.
    package static let stranger = PEM(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBfDCCASOgAwIBAgIUNU6us08rdj3Mr9mPuelpl8yIDsEwCgYIKoZIzj0EAwIw
            EzERMA8GA1UEAwwIc3RyYW5nZXIwIBcNMjYxMTIxMDUyNDQzWhgPMjEyNjEwMjgw
            NTI0NDNaMBMxETAPBgNVBAMMCHN0cmFuZ2VyMFkwEwYHKoZIzj0CAQYIKoZIzj0D
            AQcDQgAELAMI7uSHW2CIpyFSDhX0WB2NFi1I3lJM7hUbcxXD8JZS0iQ06GM50pIo
            8sGr+csy9wVEiFQ04XVLT//dponGf6NTMFEwHQYDVR0OBBYEFNO3CCppihPfVJF0
            fknkpt3g3shHMB8GA1UdIwQYMBaAFNO3CCppihPfVJF0fknkpt3g3shHMA8GA1Ud
            EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgSEqjuQCPbo7dnhhliETINgPg
            ryj/URoWe7cVypStgNUCIB/V9mVDfSWQHl01c0KGVbIcSyHZmDa6leawn2rCoWo2
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxjBIqrjDSSW6WCl6
            ptnnfSH1SmM4Z7beAV4fZZ4pU3mhRANCAAQsAwju5IdbYIinIVIOFfRYHY0WLUje
            UkzuFRtzFcPwllLSJDToYznSkijywav5yzL3BUSIVDThdUtP/92micZ/
            -----END PRIVATE KEY-----
            """)

    /// For localhost and 127.0.0.1, expired in 2021.
    package static let expired = PEM(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBejCCASCgAwIBAgIBATAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5UZXN0IGF1
            dGhvcml0eTAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaMBQxEjAQBgNV
            BAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABM7kDYTbuqe7
            P9xIqa/y2yQzFFkumL5mZcoT+7Mhhsb/gWJK2z0fVLq1zIE4AcC8yHjm+Yjg53ZM
            /hO6lnqSMX2jXjBcMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAdBgNVHQ4E
            FgQUHAKjjK5+2zn7DPZNByYoHL2IkqcwHwYDVR0jBBgwFoAUaEXhCJogVoRnHSdI
            /5v/khy+cSUwCgYIKoZIzj0EAwIDSAAwRQIhAPRo96L05Jo0FDiPNLD0lxPnYo+7
            Xak66QSEBkryIERMAiBvL9NCHA2vIP/2urw+q2wXCTy3FUOmRz/0NmaWqR9Qzg==
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLsmAiHsTK8QQ1NZ+
            z9pF9GEB2H4oBvbzreb/7GC22r6hRANCAATO5A2E27qnuz/cSKmv8tskMxRZLpi+
            ZmXKE/uzIYbG/4FiSts9H1S6tcyBOAHAvMh45vmI4Od2TP4TupZ6kjF9
            -----END PRIVATE KEY-----
            """)

    /// For elsewhere.example.
    package static let elsewhere = PEM(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBhjCCASygAwIBAgIBAjAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5UZXN0IGF1
            dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBaGA8yMTI2MDEwMTAwMDAwMFowHDEaMBgG
            A1UEAwwRZWxzZXdoZXJlLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
            AAQ5SkYGM7WN/k3571kMVF1bvmJA3HuIajb470ya0R4Et3n9Iut8lKu+a6Z1is9I
            xRF0fwNtbiqZqKGHg+8Kfp9vo2AwXjAcBgNVHREEFTATghFlbHNld2hlcmUuZXhh
            bXBsZTAdBgNVHQ4EFgQUhSqz6XxARS3Pa9d35Ld8yfdRwB8wHwYDVR0jBBgwFoAU
            aEXhCJogVoRnHSdI/5v/khy+cSUwCgYIKoZIzj0EAwIDSAAwRQIhAKvq8QDi0tKL
            4X9C8yQ44Ni7Z+rt3x/fIHLowCbQcoM+AiBKBurJJpf8wDBm86nHnEAcZwcmTJiq
            4bdTjfEMO4Y6KA==
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgC/9RyN7CsUqGRFLK
            Ocgkaj7XJ61eKJlj/fPYxmFOqKmhRANCAAQ5SkYGM7WN/k3571kMVF1bvmJA3HuI
            ajb470ya0R4Et3n9Iut8lKu+a6Z1is9IxRF0fwNtbiqZqKGHg+8Kfp9v
            -----END PRIVATE KEY-----
            """)

    /// A certificate and its key.
    package struct PEM: Sendable {
        package let certificate: String
        package let key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }
}
