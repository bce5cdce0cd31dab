// Prints why a certificate is not good for the authority: verify <authority.pem> <certificate.pem>
package main

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
)

func main() {
	authority, err := os.ReadFile(os.Args[1])
	check(err)
	file, err := os.ReadFile(os.Args[2])
	check(err)
	block, _ := pem.Decode(file)
	certificate, err := x509.ParseCertificate(block.Bytes)
	check(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	_, err = certificate.Verify(x509.VerifyOptions{Roots: roots})
	fmt.Println(err)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
